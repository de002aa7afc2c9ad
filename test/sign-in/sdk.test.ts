import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, hasDocuments, person, startDeployment } from './deployment.ts'

const REDIRECT = 'http://127.0.0.1:1/callback'
const DOCUMENT = 'https://client.example/metadata.json'

/** An app's sign-in state, in the form that the SDKs expect. */
class Keeper {
  readonly redirectUrl = REDIRECT
  readonly clientMetadata = { client_name: 'A test', redirect_uris: [REDIRECT] }
  readonly clientMetadataUrl?: string
  /** The URLs to which it has sent its person to sign in. */
  readonly sent: URL[] = []
  #client: unknown
  #tokens: unknown
  #discovered: unknown
  #verifier = ''

  constructor(document?: string) {
    if (document !== undefined) this.clientMetadataUrl = document
  }

  clientInformation = () => this.#client
  saveClientInformation = (client: unknown) => {
    this.#client = client
  }
  tokens = () => this.#tokens
  saveTokens = (tokens: unknown) => {
    this.#tokens = tokens
  }
  discoveryState = () => this.#discovered
  saveDiscoveryState = (discovered: unknown) => {
    this.#discovered = discovered
  }
  codeVerifier = () => this.#verifier
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  redirectToAuthorization = (url: URL) => {
    this.sent.push(url)
  }

  /** The same app in another window. */
  copy(): Keeper {
    const copied = new Keeper(this.clientMetadataUrl)
    copied.#client = this.#client
    copied.#tokens = this.#tokens
    return copied
  }
}

interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
}

/** An SDK's ways to connect, and to accept the parameters with which its person was sent back. */
interface Sdk {
  connect(url: URL, keeper: Keeper): Promise<Connected>
  finish(url: URL, keeper: Keeper, answer: URLSearchParams): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: two SDKs, two types of provider
const provider = (keeper: Keeper): any => keeper

const v2 = (mode?: 'auto'): Sdk => ({
  async connect(url, keeper) {
    const client = new ClientV2(
      { name: 'test', version: '1' },
      mode && { versionNegotiation: { mode } },
    )
    await client.connect(new TransportV2(url, { authProvider: provider(keeper) }))
    return client as unknown as Connected
  },
  finish: (url, keeper, answer) =>
    new TransportV2(url, { authProvider: provider(keeper) }).finishAuth(answer),
})

const v1: Sdk = {
  async connect(url, keeper) {
    const client = new ClientV1({ name: 'test', version: '1' })
    // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
    await client.connect(new TransportV1(url, { authProvider: provider(keeper) }) as any)
    return client as unknown as Connected
  },
  finish: (url, keeper, answer) =>
    new TransportV1(url, { authProvider: provider(keeper) }).finishAuth(answer.get('code')!),
}

const sdks = {
  'the v2 client': v2(),
  "the v2 client, mode 'auto'": v2('auto'),
  'the v1 client': v1,
}

const apps = Object.entries(sdks).flatMap(([name, sdk]) => [
  { name: `${name}, which registers, at /mcp`, sdk, path: '/mcp', document: undefined },
  {
    name: `${name}, with a document, at /mcp/ledger`,
    sdk,
    path: '/mcp/ledger',
    document: DOCUMENT,
  },
])

describe.each(apps.filter((it) => hasDocuments || !it.document))(
  '$name',
  ({ sdk, path, document }) => {
    let deployment: Deployment
    let url: URL
    beforeAll(async () => {
      deployment = await startDeployment()
      url = new URL(`${deployment.url}${path}`)
    })
    afterAll(() => deployment.stop())

    const keeper = new Keeper(document)

    /** Connects, and returns the requests to the authorization server meanwhile. */
    const use = async (...keepers: Keeper[]): Promise<string[]> => {
      deployment.exchanges.length = 0
      const used = keepers.map(async (it) => {
        const client = await sdk.connect(url, it)
        const { tools } = await client.listTools()
        await client.close()
        return tools.map(({ name }) => name)
      })
      for (const tools of await Promise.all(used)) expect(tools).toContain('list_tables')
      return deployment.exchanges
        .filter(({ asked }) => /^POST \/(?:token|register)$/.test(asked))
        .map(({ asked, status, about }) => `${asked} ${status} ${about.split(' ')[0]}`)
    }
    const refreshed = 'POST /token 200 grant_type=refresh_token'

    test('is sent to sign in, comes back, and finds the tools', async () => {
      await expect(sdk.connect(url, keeper)).rejects.toThrow('Unauthorized')
      const asked = keeper.sent[0]!.searchParams
      expect(asked.get('resource')).toBe(url.href)
      expect(asked.get('code_challenge_method')).toBe('S256')
      if (document) expect(asked.get('client_id')).toBe(document)

      const back = await person().leave(keeper.sent[0]!.href)
      expect(`${back.origin}${back.pathname}`).toBe(REDIRECT)
      expect(back.searchParams.get('iss')).toBe(deployment.url)
      await sdk.finish(url, keeper, back.searchParams)
      expect(await use(keeper)).toEqual([])
    })

    test('is not asked again after a restart or a deploy, and keeps its token', async () => {
      await deployment.restart()
      expect(await use(keeper)).toEqual([])
      await deployment.deploy()
      expect(await use(keeper)).toEqual([])
      expect(keeper.sent).toHaveLength(1)
    })

    test('is not asked again after TIDEGATE_SECRET is replaced', async () => {
      await deployment.replaceSecret()
      expect(await use(keeper)).toEqual([])
      expect(keeper.sent).toHaveLength(1)
    })

    test('is not asked again when its access token has expired', async () => {
      await deployment.outliveAccessTokens()
      expect(await use(keeper)).toEqual([refreshed])
      expect(keeper.sent).toHaveLength(1)
    })

    test('is not asked again in three windows that refresh at once, even repeatedly', async () => {
      const windows = [keeper.copy(), keeper.copy(), keeper.copy()]
      for (let times = 0; times < 2; times++) {
        await deployment.outliveAccessTokens()
        expect(await use(...windows)).toEqual([refreshed, refreshed, refreshed])
        expect(await use(...windows)).toEqual([])
      }
      expect(windows.flatMap(({ sent }) => sent)).toEqual([])
    })
  },
)
