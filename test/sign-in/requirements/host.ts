// @ts-expect-error: plain JavaScript
import { bundle } from '../../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../../bench/workerd.mjs'
import { targetOf } from '../../support/plain-worker.ts'
import { askApi, operated } from '../../support/registry-api.ts'
import { read } from './answer.ts'
import { type Internet, startInternet } from './internet.ts'

/** The header with which a request says that it came over https. */
const PROTO = 'x-proto'
export const BY_HTTPS = { [PROTO]: 'https' }

/** The passphrase that lets a person in. */
export const PASSPHRASE = 'seven otters guard the quiet harbour'

/** An authorization server's metadata (RFC 8414). */
export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string
  readonly [more: string]: unknown
}

/** A deployment with a sign-in and two endpoints, `shop` and `depot`. */
export interface Host {
  readonly url: string
  /** The hosts that it can reach. */
  readonly internet: Internet
  /** The log so far. */
  log(): string
  stop(): Promise<void>
  readonly server: ServerMetadata
  /** An endpoint's URL. */
  endpoint(name: string): string
}

/** Starts the Worker, adds its endpoints, and reads its metadata. */
export async function startHost(): Promise<Host> {
  const internet = await startInternet()
  const target = targetOf({
    ...operated,
    TIDEGATE_PASSPHRASE: PASSPHRASE,
    PRIVATE_HOSTS: 'database.example',
  })
  const built = await bundle(target)
  const worker = await start(
    configure({ ...target, internet: internet.address, proto: PROTO }, built),
  )
  const url = `http://127.0.0.1:${worker.port}`
  for (const name of ['shop', 'depot']) await makeEndpoint({ url }, name, 'demo:')
  const known = await fetch(`${url}/.well-known/oauth-authorization-server`)
  return {
    url,
    internet,
    server: (await known.json()) as ServerMetadata,
    endpoint: (name) => `${url}/mcp/${name}`,
    log: () => worker.log(),
    async stop() {
      await worker.stop()
      internet.close()
    },
  }
}

/** Adds an endpoint with one database. */
export async function makeEndpoint(
  host: Pick<Host, 'url'>,
  name: string,
  url: string,
): Promise<void> {
  const entry = { name, title: name, databases: { shop: { url } } }
  const { status, text } = await askApi(host, 'POST', '/api/endpoints', entry)
  if (status >= 300) throw new Error(`${status} ${text}`)
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** Asks an endpoint for its tools, with these headers. */
export async function askEndpoint(url: string, headers: Record<string, string> = {}) {
  const more = { 'content-type': 'application/json', ...headers }
  return read(await fetch(url, { method: 'POST', headers: more, body: PING }))
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
