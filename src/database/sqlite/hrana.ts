import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { objectOf, readBody } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { lines } from '../transport/lines.ts'
import { post } from '../transport/post.ts'
import { trimEnd } from '../transport/trim-end.ts'
import { isLoopback } from '../transport/url.ts'
import { type HranaError, hranaError } from './hrana-error.ts'

// Hrana 3 over HTTP: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md

/** Where a database is, and the token that opens it. */
export interface Address {
  readonly endpoint: string
  readonly token: string | undefined
}

/** A value as it travels: an integer as its digits, and an infinity as nothing. */
export type Value =
  | { readonly type: 'null' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'float'; readonly value: number | null }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'blob'; readonly base64: string }

/** What a server tells of a statement without running it. */
export interface Description {
  readonly cols: readonly { readonly name: string; readonly decltype?: string | null }[]
  readonly is_readonly: boolean
  /** Its placeholders. */
  readonly params?: readonly unknown[]
}

/** Reads an address from a URL: `libsql://HOST?authToken=…`. On this machine it is reached without TLS. */
export function addressOf({ hostname, host, pathname, searchParams }: URL): Address {
  if (!host) {
    throw new DatabaseError('config', 'A libSQL URL names a host: libsql://HOST?authToken=TOKEN')
  }
  const clear = isLoopback(hostname) || searchParams.get('tls') === '0'
  return {
    endpoint: `${clear ? 'http' : 'https'}://${host}${trimEnd(pathname, '/')}`,
    token: searchParams.get('authToken') ?? undefined,
  }
}

// Enough for a description of several texts with as many columns as there can be.
const MAX_DESCRIPTION_BYTES = 1024 * 1024

/** Has statements compiled: tells what each is, or why it cannot be compiled. Throws {@link DatabaseError}. */
export async function describe(
  address: Address,
  texts: readonly string[],
  deadline: Deadline,
  io: Io,
): Promise<readonly (Description | HranaError)[]> {
  const requests = [...texts.map((sql) => ({ type: 'describe', sql })), { type: 'close' }]
  const response = await send(address, '/v3/pipeline', { baton: null, requests }, deadline, io)
  const text = await readBody(response, MAX_DESCRIPTION_BYTES).catch((thrown) => {
    throw broken(deadline, thrown)
  })
  const body = objectOf<{ results?: readonly Result[] }>(text)
  if (body?.results?.length !== requests.length) throw broken(deadline)
  return body.results
    .slice(0, -1)
    .map(({ error, response }) => error ?? response?.result ?? { message: '', code: '' })
}

interface Result {
  readonly error?: HranaError
  readonly response?: { readonly result?: Description }
}

/** A piece of the answer to a batch. */
export interface Entry {
  readonly type: 'step_begin' | 'step_end' | 'step_error' | 'row' | 'error'
  /** Of a beginning or an error: which statement of the batch. */
  readonly step?: number
  /** Of a beginning: the columns of the rows to come. */
  readonly cols?: Description['cols']
  readonly row?: readonly Value[]
  readonly error?: HranaError
}

/** Bytes of a line, which holds at most one row. A server sends 10 MB at most. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** A statement of a batch. */
export interface Step {
  readonly stmt: { readonly sql: string; readonly args?: readonly Value[] }
  /** When it runs; always, if left out. */
  readonly condition?: { readonly type: 'ok'; readonly step: number }
}

/**
 * Runs statements one after another, and yields their answers while they come. A reader that stops
 * closes the connection. Throws {@link DatabaseError}.
 */
export async function* run(
  address: Address,
  steps: readonly Step[],
  deadline: Deadline,
  io: Io,
): AsyncGenerator<Entry> {
  const response = await send(
    address,
    '/v3/cursor',
    { baton: null, batch: { steps } },
    deadline,
    io,
  )
  let ended = 0
  try {
    for await (const line of lines(response, MAX_LINE_BYTES)) {
      const entry = objectOf<Entry & { baton?: unknown }>(line)
      if (entry === undefined) throw broken(deadline)
      if (entry.type === 'step_end' || entry.type === 'step_error') ended++
      // The first line is about the connection.
      if (entry.type !== undefined) yield entry
    }
  } catch (thrown) {
    throw broken(deadline, thrown)
  }
  if (ended < steps.length) throw broken(deadline)
}

async function send(
  { endpoint, token }: Address,
  path: string,
  body: unknown,
  deadline: Deadline,
  io: Io,
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const { response, text } = await post(
    endpoint + path,
    headers,
    JSON.stringify(body),
    deadline,
    io,
  )
  if (response.status === 200) return response
  const report = await text(MAX_DESCRIPTION_BYTES).catch(() => '')
  const { code } = objectOf<{ code?: string }>(report) ?? {}
  throw refusal(response.status, code)
}

/** Why a request has no answer. The server's text is not repeated: anything may be in it. */
function refusal(status: number, code: unknown): DatabaseError {
  if (status === 401 || status === 403) return hranaError({ code: 'AUTH', message: '' })
  if (status === 404) return hranaError({ code: 'NOT_FOUND', message: '' })
  if (typeof code === 'string' && code) return hranaError({ code, message: '' })
  return brokenAnswer(status)
}

/** Why an answer did not come whole. */
function broken(deadline: Deadline, thrown?: unknown): DatabaseError {
  if (thrown instanceof DatabaseError) return thrown
  return deadline.over() ?? brokenAnswer()
}
