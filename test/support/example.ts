import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { createTestHarness } from 'wrangler'
import { noVars } from './no-vars.ts'
import { plainVars, program } from './spawned.ts'

/** What a client answers when it is asked. */
export type Answer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean> }
  | { readonly action: 'decline' | 'cancel' }

/** What a client of a test can do. */
export interface ClientOptions {
  /** Answers a question to the person. Without it, the client cannot be asked. */
  readonly elicitation?: (question: {
    readonly message: string
    readonly requestedSchema?: unknown
  }) => Answer | Promise<Answer>
  /** Over HTTP, where the server is; `/mcp` if nothing is said. */
  readonly path?: string
  /** Over HTTP, headers of each request. */
  readonly headers?: Record<string, string>
}

/** An example that runs, and one of the ways to it. */
export interface Way {
  readonly transport: 'http' | 'stdio'
  readonly era: 'legacy' | 'modern'
  /** Where it is, over HTTP. */
  readonly url: string | undefined
  /** Connects the official client. It is closed at the end of the test. Over stdio each one has a server of its own. */
  connect(options?: ClientOptions): Promise<Client>
}

const eras = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const

/** Runs tests four times: as a Worker over HTTP and on Node over stdio, in both eras. */
export function eachWay(
  name: string,
  { variables = {} }: { readonly variables?: Record<string, string> },
  tests: (way: Way) => void,
): void {
  describe.each(['http', 'stdio'] as const)('over %s', (transport) => {
    let harness: ReturnType<typeof createTestHarness> | undefined
    let url: string | undefined
    if (transport === 'http') {
      beforeAll(async () => {
        const configPath = `examples/${name}/wrangler.toml`
        harness = createTestHarness({
          workers: [{ configPath, secrets: { ...noVars, ...variables } }],
        })
        url = (await harness.listen()).url.origin
      })
      afterAll(() => harness?.close())
    }
    describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
      const open: Client[] = []
      afterEach(async () => {
        await Promise.all(open.splice(0).map((it) => it.close()))
      })

      async function connect(options: ClientOptions = {}): Promise<Client> {
        const { elicitation, path = '/mcp', headers = {} } = options
        const client = new Client(
          { name: 'test', version: '1' },
          {
            versionNegotiation: { mode: eras[era] },
            capabilities: elicitation ? { elicitation: { form: {} } } : {},
          },
        )
        if (elicitation) {
          client.setRequestHandler('elicitation/create', ({ params }) => elicitation(params))
        }
        open.push(client)
        await client.connect(
          transport === 'http'
            ? new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } })
            : new StdioClientTransport({
                command: process.execPath,
                args: [program, 'run', `examples/${name}`],
                env: plainVars(variables),
                stderr: 'pipe',
              }),
        )
        return client
      }
      tests({
        ...{ transport, era, connect },
        get url() {
          return url
        },
      })
    })
  })
}
