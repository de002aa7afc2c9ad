// A Worker in a Node process. `node-worker.ts` builds it, and sends its variables through the channel between
// the two processes.
import { env as bound } from 'cloudflare:workers'
import * as worker from 'test:target'
import { arrived } from '../../src/node/arrived.ts'
import { kindsOf, type Sender } from '../../src/node/gateway.ts'
import { listen } from '../../src/node/listen.ts'
import { openWorker } from '../../src/node/worker.ts'

type Classes = Parameters<typeof kindsOf>[0]

const kinds =
  'Registry' in worker
    ? kindsOf(worker as unknown as Classes)
    : {
        SESSIONS: { made: worker.McpSession, hasTables: false },
        ...('DemoStore' in worker && {
          DEMO: { made: worker.DemoStore as Classes['DemoStore'], hasTables: true },
        }),
      }

process.once('message', async ({ state, ...variables }: Record<string, string>) => {
  const { env, close } = openWorker(kinds, { variables, state })
  Object.assign(bound, env)
  // A test sets its address with this header.
  const fetch = async (request: Request, from?: Sender) => {
    const address = request.headers.get('x-forwarded-for') ?? from?.address
    return worker.default.fetch(arrived(request, address), env)
  }
  // Unless it listens on loopback, the gateway itself checks each host.
  const server = await listen({ fetch }, { port: 0, host: '0.0.0.0' })
  process.on('message', async ({ id, ...asked }: Order & { id: number }) => {
    const said = await ask(env, asked).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: String(error) }),
    )
    process.send!({ id, ...said })
  })
  const end = async () => {
    await server.close()
    await close()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('disconnect', end)
  process.send!({ url: server.url.replace('0.0.0.0', '127.0.0.1') })
})

/** A method call of a test on an object. */
export interface Order {
  readonly kind: string
  readonly name: string
  readonly method: string
  readonly args: readonly unknown[]
}

async function ask(env: Record<string, unknown>, { kind, name, method, args }: Order) {
  const namespace = env[kind] as DurableObjectNamespace
  const object: unknown = namespace.get(namespace.idFromName(name))
  return (object as Record<string, (...args: readonly unknown[]) => unknown>)[method]!(...args)
}
