// Shows how the OAuth library behaves over Workers KV, whose reads can be out of date, and over our object: how
// many sign-ins and refreshes work. Time is simulated, and so is KV, according to its documentation
// (https://developers.cloudflare.com/kv/concepts/how-kv-works/).
import '../test/support/workers-module.ts'
import { createHash } from 'node:crypto'
import { print } from './table.mjs'

const ORIGIN = 'https://tidegate.example'
const CALLBACK = 'http://127.0.0.1:9999/callback'
const VERIFIER = 'verifier-of-a-bench-0123456789-0123456789-0123456789'
const SECRET = 'fL9w0Q2cXv7yR4tB8nM1kZ5sD3gH6jPa'

const SIGN_INS = 1_000
const REFRESHES = 200

/** Maximum age of a read. */
const STALE_MS = 60_000

/** Time between two requests. */
const STEP_MS = 2_000

let now = Date.UTC(2027, 0, 1)
Date.now = () => now
const { log } = console
console.log = () => {}
const pass = (ms) => {
  now += ms
}

const { SimulatedObject } = await import('../test/support/objects.ts')
const { AuthorizationServer } = await import('../src/auth/server/authorization-server.ts')
const { libraryFor } = await import('../src/auth/server/library.ts')
const { Store } = await import('../src/auth/server/store.ts')
const { credentialKeys } = await import('../src/registry/keys/credential-keys.ts')

/** The values in KV, and those that each place has read. */
class KeyValues {
  /** Every key with its versions, newest last. */
  #versions = new Map()
  #late

  /** @param late true if all other places see a write as late as possible, not only places that read the key before */
  constructor(late) {
    this.#late = late
  }

  /** The namespace as one place sees it. */
  at(place) {
    const read = new Map()
    const get = (key) => {
      const kept = read.get(key)
      if (kept && kept.until > now) return kept.value
      const seen = (this.#versions.get(key) ?? []).findLast(
        (it) => !this.#late || it.place === place || it.at + STALE_MS <= now,
      )
      const value = seen && seen.expires > now ? seen.value : null
      read.set(key, { value, until: now + STALE_MS })
      return value
    }
    const write = (key, value, expires) => {
      const versions = this.#versions.get(key) ?? []
      this.#versions.set(key, [...versions, { place, at: now, value, expires }].slice(-5))
      read.set(key, { value, until: now + STALE_MS })
    }
    return {
      async get(key, options) {
        const text = get(key)
        return text !== null && (options?.type ?? options) === 'json' ? JSON.parse(text) : text
      },
      async put(key, value, { expiration, expirationTtl } = {}) {
        const ttl = expirationTtl === undefined ? Number.POSITIVE_INFINITY : expirationTtl * 1000
        write(key, value, expiration === undefined ? now + ttl : expiration * 1000)
      },
      async delete(key) {
        write(key, null, now)
      },
      list: async ({ prefix = '' }) => {
        const names = [...this.#versions.keys()].filter((it) => it.startsWith(prefix))
        const keys = names.filter((it) => get(it) !== null).map((name) => ({ name }))
        return { keys, list_complete: true }
      },
    }
  }
}

const env = { TIDEGATE_KEY: 'k', TIDEGATE_SECRET: SECRET, TIDEGATE_PASSPHRASE: 'p' }
const PLACES = ['where the person is', 'where the host is', 'elsewhere']

/** The library for each place, over that place's store. */
const libraryOver = (storeAt) =>
  PLACES.map((place) => {
    const OAUTH_KV = storeAt(place)
    return {
      OAUTH_KV,
      fetch: async (request) =>
        (await libraryFor(ORIGIN, undefined, env)).fetch(request, { OAUTH_KV }),
    }
  })

function kv(late) {
  const values = new KeyValues(late)
  return libraryOver((place) => values.at(place))
}

/** Runs code in an object, with its storage. */
async function inObject(run) {
  let made
  const object = new SimulatedObject('authorization', (state) => {
    made = run(state)
    return { fetch: async () => new Response() }
  })
  await object.fetch(new Request(ORIGIN))
  return made
}

async function objectAlone() {
  const store = await inObject(({ storage }) => new Store(storage, credentialKeys(env)))
  return libraryOver(() => store)
}

async function tidegate() {
  const { server, store } = await inObject((state) => ({
    server: new AuthorizationServer(state, env, async () => ({ offers: [], more: 0 })),
    store: new Store(state.storage, credentialKeys(env)),
  }))
  return PLACES.map(() => ({ OAUTH_KV: store, fetch: (request) => server.fetch(request) }))
}

async function post({ fetch }, path, body) {
  pass(STEP_MS)
  const answer = await fetch(new Request(ORIGIN + path, { method: 'POST', body }))
  const json = await answer.json()
  if (!answer.ok) throw new Error(`${answer.status} ${json.error}`)
  return json
}

const register = (at) =>
  post(
    at,
    '/register',
    JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  )

/** Returns a code, as if somebody had allowed the app. */
async function allow({ OAUTH_KV }, client_id) {
  pass(STEP_MS)
  const api = (await libraryFor(ORIGIN, undefined, env)).getOAuthApi({ OAUTH_KV })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'db:read',
  })
  const { redirectTo } = await api.completeAuthorization({
    request: await api.parseAuthRequest(new Request(`${ORIGIN}/authorize?${query}`)),
    scope: ['db:read'],
    userId: 'a'.repeat(43),
    metadata: {},
    props: {},
    revokeExistingGrants: false,
  })
  return new URL(redirectTo).searchParams.get('code')
}

const exchange = (at, client_id, code) =>
  post(
    at,
    '/token',
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: VERIFIER,
      redirect_uri: CALLBACK,
    }),
  )

const refresh = (at, client_id, refresh_token) =>
  post(at, '/token', new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }))

async function check({ OAUTH_KV }, token) {
  pass(STEP_MS)
  const api = (await libraryFor(ORIGIN, undefined, env)).getOAuthApi({ OAUTH_KV })
  if (!(await api.unwrapToken(token))) throw new Error('401 invalid_token')
}

const cases = {
  async 'sign-in, and the first request'([person, host, elsewhere]) {
    const { client_id } = await register(host)
    const { access_token } = await exchange(host, client_id, await allow(person, client_id))
    await check(elsewhere, access_token)
  },
  async 'three refreshes here and there'([person, host, elsewhere]) {
    const { client_id } = await register(host)
    pass(STALE_MS)
    const code = await allow(person, client_id)
    pass(STALE_MS)
    let { refresh_token: token } = await exchange(host, client_id, code)
    pass(STALE_MS)
    for (const at of [host, elsewhere, host]) {
      token = (await refresh(at, client_id, token)).refresh_token
    }
  },
  async 'two windows refresh at once'([person, host]) {
    const { client_id } = await register(host)
    pass(STALE_MS)
    const code = await allow(person, client_id)
    pass(STALE_MS)
    const { refresh_token: token } = await exchange(host, client_id, code)
    pass(STALE_MS)
    const both = await Promise.all([1, 2].map(() => refresh(host, client_id, token)))
    pass(3_600_000)
    for (const it of both) await refresh(host, client_id, it.refresh_token)
  },
}

const stores = {
  'library over KV, a write is seen late': () => kv(true),
  'library over KV, a read is kept': () => kv(false),
  'library over our object': objectAlone,
  Tidegate: tidegate,
}

const rows = []
for (const [name, make] of Object.entries(stores)) {
  const places = await make()
  const row = [name]
  for (const [title, run] of Object.entries(cases)) {
    const times = title.startsWith('sign-in') ? SIGN_INS : REFRESHES
    const faults = new Map()
    for (let i = 0; i < times; i++) {
      try {
        await run(places)
      } catch (error) {
        faults.set(error.message, (faults.get(error.message) ?? 0) + 1)
      }
    }
    const failed = [...faults.values()].reduce((sum, n) => sum + n, 0)
    const why = [...faults.keys()].join(', ')
    row.push(`${times - failed} of ${times}${why && ` (${why})`}`)
  }
  rows.push(row)
}

console.log = log
print(['store', ...Object.keys(cases)], rows)
