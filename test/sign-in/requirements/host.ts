import { askApi, operated } from '../../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../../support/worker.ts'
import { read } from './answer.ts'

/** What lets a person in. */
export const PASSPHRASE = 'seven otters guard the quiet harbour'

/** What the metadata of an authorization server may say (RFC 8414). */
export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string
  readonly [more: string]: unknown
}

/** A deployment with a sign-in and two endpoints, `shop` and `depot`. */
export interface Host {
  readonly worker: RunningWorker
  readonly url: string
  readonly server: ServerMetadata
  /** The URL of an endpoint. */
  endpoint(name: string): string
}

/** Starts the Worker, makes its endpoints, and reads its metadata. */
export async function startHost(): Promise<Host> {
  const worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE })
  for (const name of ['shop', 'depot']) await makeEndpoint(worker, name, 'demo:')
  const { url } = worker
  const known = await fetch(`${url}/.well-known/oauth-authorization-server`)
  const server = (await known.json()) as ServerMetadata
  return { worker, url, server, endpoint: (name) => `${url}/mcp/${name}` }
}

/** Makes an endpoint of one database. */
export async function makeEndpoint(
  worker: RunningWorker,
  name: string,
  url: string,
): Promise<void> {
  const entry = { name, title: name, databases: { shop: { url } } }
  const { status, text } = await askApi(worker, 'POST', '/api/endpoints', entry)
  if (status >= 300) throw new Error(`${status} ${text}`)
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** Asks an endpoint for its tools, with these headers. */
export async function askEndpoint(url: string, headers: Record<string, string> = {}) {
  const more = { 'content-type': 'application/json', ...headers }
  return read(await fetch(url, { method: 'POST', headers: more, body: PING }))
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
