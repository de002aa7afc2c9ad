import { isLoopback } from '../../ground/index.ts'
import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { objectOf, readBody } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { lines } from '../transport/lines.ts'
import { post } from '../transport/post.ts'
import { trimEnd } from '../transport/trim-end.ts'
import { type HranaError, hranaError } from './hrana-error.ts'

// Hrana 3 over HTTP: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md

/** A database's address and its token. */
export interface HranaAddress {
  readonly endpoint: string
  readonly token: string | undefined
}

/** A value in the protocol. An integer is sent as digits, and an infinity as null. */
export type HranaValue =
  | { readonly type: 'null' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'float'; readonly value: number | null }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'blob'; readonly base64: string }

/** A server's description of a statement, without running it. */
export interface Description {
  readonly cols: readonly { readonly name: string; readonly decltype?: string | null }[]
  readonly is_readonly: boolean
  /** Its placeholders. */
  readonly params?: readonly unknown[]
}

/** Reads the address from a URL: `libsql://HOST?authToken=…`. TLS is not used for a server on this machine. */
export function addressOf({ hostname, host, pathname, searchParams }: URL): HranaAddress {
  if (!host) {
    throw new DatabaseError('config', 'A libSQL URL needs a host: libsql://HOST?authToken=TOKEN')
  }
  const clear = isLoopback(hostname) || searchParams.get('tls') === '0'
  return {
    endpoint: `${clear ? 'http' : 'https'}://${host}${trimEnd(pathname, '/')}`,
    token: searchParams.get('authToken') ?? undefined,
  }
}

// Enough to describe several statements with the maximum number of columns.
const MAX_DESCRIPTION_BYTES = 1024 * 1024

/** Compiles statements on the server. Returns a description of each, or its error. Throws {@link DatabaseError}. */
export async function describe(
  address: HranaAddress,
  texts: readonly string[],
  deadline: Deadline,
  io: Io,
): Promise<readonly (Description | HranaError)[]> {
  const requests = [...texts.map((sql) => ({ type: 'describe', sql })), { type: 'close' }]
  const response = await send(address, '/v3/pipeline', { baton: null, requests }, deadline, io)
  const text = await readBody(response, MAX_DESCRIPTION_BYTES).catch((thrown) => {
    throw broken(deadline, thrown)
  })
  const body = objectOf<{ results?: readonly HranaResult[] }>(text)
  if (body?.results?.length !== requests.length) throw broken(deadline)
  return body.results
    .slice(0, -1)
    .map(({ error, response }) => error ?? response?.result ?? { message: '', code: '' })
}

interface HranaResult {
  readonly error?: HranaError
  readonly response?: { readonly result?: Description }
}

/** One entry in the response to a batch. */
export interface BatchEntry {
  readonly type: 'step_begin' | 'step_end' | 'step_error' | 'row' | 'error'
  /** In a start or an error, the number of the statement in the batch. */
  readonly step?: number
  /** In a start, the columns in the rows that follow. */
  readonly cols?: Description['cols']
  readonly row?: readonly HranaValue[]
  readonly error?: HranaError
}

/** Maximum length of a line, which contains at most one row. A server sends at most 10 MB. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** A statement in a batch. */
export interface BatchStep {
  readonly stmt: { readonly sql: string; readonly args?: readonly HranaValue[] }
  /** The condition for running it. If left out, it always runs. */
  readonly condition?: { readonly type: 'ok'; readonly step: number }
}

/**
 * Runs statements one after another, and yields their results as they arrive. If the reader stops, the connection
 * is closed. Throws {@link DatabaseError}.
 */
export async function* run(
  address: HranaAddress,
  steps: readonly BatchStep[],
  deadline: Deadline,
  io: Io,
): AsyncGenerator<BatchEntry> {
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
      const entry = objectOf<BatchEntry & { baton?: unknown }>(line)
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
  { endpoint, token }: HranaAddress,
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

/** The error for a failed request. The server's text is not repeated, because it can contain anything. */
function refusal(status: number, code: unknown): DatabaseError {
  if (status === 401 || status === 403) return hranaError({ code: 'AUTH', message: '' })
  if (status === 404) return hranaError({ code: 'NOT_FOUND', message: '' })
  if (typeof code === 'string' && code) return hranaError({ code, message: '' })
  return brokenAnswer(status)
}

/** The error for an incomplete response. */
function broken(deadline: Deadline, thrown?: unknown): DatabaseError {
  if (thrown instanceof DatabaseError) return thrown
  return deadline.over() ?? brokenAnswer()
}
