import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { createTestHarness } from 'wrangler'
import { noVars } from './no-vars.ts'
import { plainVars, program } from './spawned.ts'

/** The answer of a client to a question. */
export type Answer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean> }
  | { readonly action: 'decline' | 'cancel' }

/** The options of a test client. */
export interface ClientOptions {
  /** Answers a question to the person. Without it, the client does not support elicitation. */
  readonly elicitation?: (question: {
    readonly message: string
    readonly requestedSchema?: unknown
  }) => Answer | Promise<Answer>
  /** The path of the server over HTTP. The default is `/mcp`. */
  readonly path?: string
  /** Headers of each request over HTTP. */
  readonly headers?: Record<string, string>
}

/** A running example, and one of the ways to it. */
export interface Way {
  readonly transport: 'http' | 'stdio'
  readonly era: 'legacy' | 'modern'
  /** Its URL over HTTP. */
  readonly url: string | undefined
  /** Connects the official client, which is closed at the end of the test. Over stdio, each has its own server. */
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
