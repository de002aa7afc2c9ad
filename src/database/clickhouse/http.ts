import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import type { Answer, Limits } from '../rows.ts'
import { readBody } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { requestOf } from '../transport/post.ts'
import type { Address } from './address.ts'
import { FORMAT, readAnswer } from './answer.ts'
import { type Asked, clickhouseError, statusError } from './error.ts'

/** What all requests of one query have in common. */
export interface QueryContext {
  readonly address: Address
  readonly asked: Asked
  readonly deadline: Deadline
  readonly io: Io
}

/** Parameters of a request's URL: settings, and how to answer. */
export type Parameters = Readonly<Record<string, string>>

/** Has the answer come with a status that holds for all of it. */
export const FINAL_STATUS = { wait_end_of_query: '1' }

/** Sends one text and reads its answer. Throws {@link DatabaseError}. */
export async function exchange(
  { address, asked, deadline, io }: QueryContext,
  sql: string,
  parameters: Parameters,
  limits: Limits,
): Promise<Answer> {
  let id = ''
  const ask = async (more: Parameters) => {
    id = crypto.randomUUID()
    const { database } = address
    const all = { database, default_format: FORMAT, query_id: id, ...parameters, ...more }
    const sent = send(address, all, sql, deadline.signal, io, limits.trace)
    return accepted(await sent, asked)
  }
  const csv = async () => {
    const response = await ask({ default_format: 'CSV', ...FINAL_STATUS })
    // No longer than the rows that were read already, except that quotes are doubled.
    const text = await readBody(response, 4 * limits.maxBytes)
    if (text === undefined) throw brokenAnswer()
    return text
  }
  const read = async (more: Parameters, statusIsFinal: boolean) =>
    readAnswer(await ask(more), limits, asked, { statusIsFinal, csv })

  const statusIsFinal = 'wait_end_of_query' in parameters
  try {
    return await read({}, statusIsFinal).catch((error) => {
      if (statusIsFinal || error instanceof DatabaseError || deadline.over()) throw error
      // It is doubtful, or broke off, as some versions do behind an error that comes amid rows.
      return read(FINAL_STATUS, true)
    })
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const over = deadline.over()
    // The message of an error of the network may hold the address: it is dropped.
    if (!over) throw unreachable()
    await kill(address, id, io)
    throw over
  }
}

/** Bytes of an error that are read: some versions send the path through their source with it. */
const MAX_REPORT_BYTES = 256 * 1024

/** Returns a response that is an answer. Throws the error that any other one reports. */
async function accepted(response: Response, asked: Asked): Promise<Response> {
  const { status, headers } = response
  if (status === 200 && !headers.has('x-clickhouse-exception-code')) return response
  const report = (await readBody(response, MAX_REPORT_BYTES)) ?? ''
  throw clickhouseError(report, asked) ?? statusError(status)
}

/** Time to tell a server to stop: the caller has already waited to the end. */
const KILL_MS = 2_000

/** Stops a query. Old versions, and proxies, do not stop it when the client disconnects. */
async function kill(address: Address, id: string, io: Io): Promise<void> {
  const sql = `KILL QUERY WHERE query_id = '${id}'`
  await send(address, {}, sql, AbortSignal.timeout(KILL_MS), io).then(
    (response) => response.body?.cancel(),
    () => {},
  )
}

// Not by post(): a connection that broke is one thing here, and an answer that is an error another.
const send = (
  { endpoint, authorization }: Address,
  parameters: Parameters,
  body: string,
  signal: AbortSignal,
  { fetch }: Io,
  trace?: Limits['trace'],
) => {
  // The server puts its own spans into the trace, if it keeps any.
  const headers = { authorization, ...(trace && { traceparent: trace.traceparent }) }
  return fetch(`${endpoint}?${new URLSearchParams(parameters)}`, requestOf(headers, body, signal))
}
