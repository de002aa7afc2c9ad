import './workers-module.ts'
import { createHash } from 'node:crypto'
import { vi } from 'vitest'
import type { Orders } from '../../src/auth/server/orders.ts'
import type { SignInEnv } from '../../src/auth/settings.ts'
import type { Person } from '../../src/auth/sign-in/person.ts'
import { SimulatedObject } from './objects.ts'
import { SECRET } from './registry-api.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const { AuthorizationServer } = await import('../../src/auth/server/authorization-server.ts')
const { credentialKeys } = await import('../../src/registry/keys/credential-keys.ts')
const { libraryFor } = await import('../../src/auth/server/library.ts')
const { Store } = await import('../../src/auth/server/store.ts')
const { userIdOf } = await import('../../src/auth/sign-in/person.ts')

export const ORIGIN = 'https://tidegate.example'
export const REDIRECT = 'http://127.0.0.1:9999/callback'
const VERIFIER = 'verifier-of-a-test-0123456789-0123456789-0123456789'

/** An app that signs people in. */
export interface App {
  readonly id: string
  readonly secret?: string
}

/** The answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly json: any
}

/** The authorization server with storage in memory. It reads the time from `Date.now`. */
export function authorization(more: Partial<SignInEnv> = {}) {
  const vars: SignInEnv = {
    TIDEGATE_KEY: 'key-of-the-operator',
    TIDEGATE_SECRET: SECRET,
    TIDEGATE_PASSPHRASE: 'tulip harbor seven lanterns',
    ...more,
  }
  let env = vars
  let groupsCount = false
  let storage: DurableObjectStorage
  const object = new SimulatedObject('authorization', (state) => {
    storage = state.storage
    const server = new AuthorizationServer(state, env, {
      offers: async () => ({ offers: [], more: 0 }),
      groupsCount: async () => groupsCount,
    })
    return {
      fetch: (request: Request) => server.fetch(request),
      alarm: () => server.sweep(),
      take: (order: keyof Orders, input: unknown) => server.take(order, input),
    } as never
  })
  const take = <Name extends keyof Orders>(order: Name, input: Parameters<Orders[Name]>[0]) =>
    object.call('take', [order, input]) as ReturnType<Orders[Name]>
  const store = async () => {
    // The first request creates it.
    await take('granted', { token: 'none' })
    return new Store(storage, credentialKeys(env))
  }

  async function post(
    path: string,
    body: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<TokenAnswer> {
    const type = path === '/register' ? { 'content-type': 'application/json' } : {}
    const init = { method: 'POST', body, headers: { ...type, ...headers } }
    const request = new Request(ORIGIN + path, init)
    const answer = await object.fetch(request)
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, json: text ? JSON.parse(text) : null }
  }

  /** Sends a request to the token endpoint, as this app unless the form names another. */
  const ask = (
    app: App | undefined,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const who = app && { client_id: app.id, ...(app.secret && { client_secret: app.secret }) }
    return post('/token', new URLSearchParams({ ...who, ...form }), headers)
  }

  return {
    object,
    take,
    store,
    post,
    ask,
    /** Sets whether anything uses a group of a provider. */
    nameGroups(it = true) {
      groupsCount = it
    },
    /** Starts again with other variables, like a deployment. */
    deploy(changed: Partial<SignInEnv>) {
      env = { ...env, ...changed }
      object.evict()
    },
    async register(method = 'none', headers: Record<string, string> = {}): Promise<App> {
      const metadata = {
        client_name: 'An app',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: method,
      }
      const made = await post('/register', JSON.stringify(metadata), headers)
      if (made.status !== 201) throw new Error(`${made.status} ${made.json.error_description}`)
      const { client_id: id, client_secret: secret } = made.json
      return { id, ...(secret && { secret }) }
    },
    /** A code for an app, as if a person had signed in and allowed it. */
    async allow(
      { id }: App,
      {
        name = 'ada@example.com',
        endpoint = '',
        provided,
      }: {
        name?: string
        endpoint?: string
        /** The data about the person from a provider. */
        provided?: Partial<Person>
      } = {},
    ): Promise<string> {
      const library = await libraryFor(ORIGIN, endpoint || undefined, env)
      const api = library.getOAuthApi({ OAUTH_KV: await store() })
      const person = {
        id: `${provided ? 'test' : 'passphrase'} ${name}`,
        name,
        groups: [],
        ...provided,
      }
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: id,
        redirect_uri: REDIRECT,
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
        scope: 'db:read',
        resource: `${ORIGIN}/mcp${endpoint && `/${endpoint}`}`,
      })
      const endpoints = [endpoint || 'shop']
      const { redirectTo } = await api.completeAuthorization({
        request: await api.parseAuthRequest(new Request(`${ORIGIN}/authorize?${query}`)),
        scope: ['db:read'],
        userId: await userIdOf(person),
        metadata: { person, client: 'An app', endpoints },
        props: { person, endpoints, isForeign: provided !== undefined, since: Date.now() },
        revokeExistingGrants: false,
      })
      return new URL(redirectTo).searchParams.get('code')!
    },
    exchange: (app: App | undefined, code: string, more: Record<string, string> = {}) => {
      const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
      return ask(app, { ...form, code_verifier: VERIFIER, ...more })
    },
    refresh: (app: App | undefined, token: string, more: Record<string, string> = {}) =>
      ask(app, { grant_type: 'refresh_token', refresh_token: token, ...more }),
    /** True if an access token is valid. */
    isGood: async (token: string) => {
      const granted = await take('granted', { token })
      return granted !== undefined && granted.refused === undefined
    },
  }
}
