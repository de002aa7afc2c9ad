// A deployment's admin API, called with the admin key.
import { isLoopback } from '../../ground/index.ts'
import { fieldsOf, jsonIn } from '../../host-checks/index.ts'
import type { Answers } from '../../registry/index.ts'
import { readVars } from '../files/vars.ts'
import { root } from '../root.ts'
import { CommandFailure, Mistake } from '../terminal/failure.ts'

const HERE = 'http://127.0.0.1:8787'

/** Time limit for a response. A test of a database waits for the database. */
const MAX_WAIT_MS = 90_000

type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends a request to a deployment's API, and resolves with the value in the response. Throws {@link CommandFailure}. */
export interface ApiRequest {
  <Answer = unknown>(method: ApiMethod, path: string, body?: unknown): Promise<Answer>
  readonly origin: string
}

/** Connects to the API at this URL, or at TIDEGATE_URL, or on this machine. */
export function apiAt(to = process.env.TIDEGATE_URL || HERE): ApiRequest {
  if (!/^https?:\/\//.test(to) || !URL.canParse(to)) {
    throw new Mistake('A Tidegate URL begins with https:// or http://.')
  }
  const { origin, protocol, hostname } = new URL(to)
  const isHere = isLoopback(hostname)
  if (protocol === 'http:' && !isHere) {
    throw new Mistake(`The key is sent only over https, or to this machine, not to ${origin}.`)
  }
  const authorization = `Bearer ${keyFor(isHere)}`

  async function ask<Answer>(method: ApiMethod, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      // The key is meant for this host only.
      redirect: 'manual',
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    }).catch((error) => {
      throw new CommandFailure(unreachable(error, origin))
    })
    return (await read(answer, origin)) as Answer
  }
  return Object.assign(ask, { origin })
}

/** The entries in the API's lists. */
export interface ApiLists {
  readonly endpoints: Answers['Endpoint']
  readonly groups: Answers['Group']
  readonly keys: Answers['Key']
  readonly grants: Answers['Grant']
}

/** Reads all entries in a list, page by page. */
export async function listOf<Name extends keyof ApiLists>(
  ask: ApiRequest,
  list: Name,
  query: Readonly<Record<string, string>> = {},
): Promise<ApiLists[Name][]> {
  const entries: ApiLists[Name][] = []
  let cursor: string | undefined
  do {
    const params = new URLSearchParams({ ...query, limit: '200', ...(cursor && { cursor }) })
    const page = await ask<Record<Name, ApiLists[Name][]> & { next?: string }>(
      'GET',
      `/api/${list}?${params}`,
    )
    entries.push(...page[list])
    cursor = page.next
  } while (cursor)
  return entries
}

/** The admin key. This machine's key is not sent to other hosts. */
function keyFor(isHere: boolean): string {
  const key = process.env.TIDEGATE_KEY || (isHere && readVars(root).TIDEGATE_KEY)
  if (!key) {
    throw new Mistake(
      isHere
        ? 'No key is set. Set TIDEGATE_KEY: `npx tidegate serve` shows the key it generated, and `npm start` writes one to .dev.vars.'
        : "Set TIDEGATE_KEY to the deployment's key. The one in .dev.vars is for this machine only.",
    )
  }
  // fetch's error for an invalid header repeats the header.
  if (!/^[!-~]+$/.test(key))
    throw new Mistake('TIDEGATE_KEY contains characters that a key cannot contain.')
  return key
}

/** Returns the value in a response. If the response is an error, throws its message. */
async function read(answer: Response, origin: string): Promise<unknown> {
  if (answer.status === 204) return undefined
  const text = await answer.text().catch(() => {
    throw new CommandFailure(`The response from ${origin} was cut off. Try again.`)
  })
  const value = jsonIn(text)
  if (answer.ok && value !== undefined) return value
  const error = fieldsOf(fieldsOf(value).error)
  if (typeof error.message === 'string') {
    const field = error.field ? String(error.field) : ''
    const named = field && !error.message.includes(field) ? `${field}: ` : ''
    throw new CommandFailure(named + error.message, 1, answer.status)
  }
  const moved = answer.headers.get('location')
  throw new CommandFailure(
    moved
      ? `${origin} has moved. Pass the new address with --to URL.`
      : `${origin} returns ${answer.status}, but does not look like Tidegate. Check the URL.`,
  )
}

/** Explains why a request got no response. */
function unreachable(error: unknown, origin: string): string {
  const { name, cause } = fieldsOf(error)
  const { errors } = fieldsOf(cause)
  const { code } = fieldsOf(Array.isArray(errors) ? errors[0] : cause)
  if (name === 'TimeoutError') return `${origin} does not respond.`
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') {
    return `Nothing responds at ${origin}. Start it with \`npm start\`, or name another address with --to URL or TIDEGATE_URL.`
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The host ${new URL(origin).hostname} was not found, or there is no network.`
  }
  if (/CERT|SIGNED|TLS|SSL/.test(String(code ?? ''))) {
    return `The certificate of ${origin} is not trusted (${code}).`
  }
  return `${origin} cannot be reached${code ? ` (${code})` : ''}.`
}
