import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import type { Answer, QueryContext } from '../rows.ts'
import { readBody } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { requestOf } from '../transport/post.ts'
import type { ClickHouseAddress } from './address.ts'
import { FORMAT, readAnswer } from './answer.ts'
import { clickhouseError, type StatementContext, statusError } from './error.ts'

/** The parts that all requests for one query share. */
export interface ExchangeContext {
  readonly address: ClickHouseAddress
  readonly asked: StatementContext
  readonly deadline: Deadline
  readonly io: Io
}

/** URL parameters for a request: settings, and the format of the result. */
export type HttpParameters = Readonly<Record<string, string>>

/** Makes the server send a status that covers the whole response. */
export const FINAL_STATUS = { wait_end_of_query: '1' }

/** Sends SQL and reads its result. Throws {@link DatabaseError}. */
export async function exchange(
  { address, asked, deadline, io }: ExchangeContext,
  sql: string,
  parameters: HttpParameters,
  limits: QueryContext,
): Promise<Answer> {
  let id = ''
  const ask = async (more: HttpParameters) => {
    id = crypto.randomUUID()
    const { database } = address
    const all = { database, default_format: FORMAT, query_id: id, ...parameters, ...more }
    const sent = send(address, all, sql, deadline.signal, io, limits.trace)
    return accepted(await sent, asked)
  }
  const csv = async () => {
    const response = await ask({ default_format: 'CSV', ...FINAL_STATUS })
    // It is not longer than the rows that were already read, except that quotes are doubled.
    const text = await readBody(response, 4 * limits.maxBytes)
    if (text === undefined) throw brokenAnswer()
    return text
  }
  const read = async (more: HttpParameters, statusIsFinal: boolean) =>
    readAnswer(await ask(more), limits, asked, { statusIsFinal, csv })

  const statusIsFinal = 'wait_end_of_query' in parameters
  try {
    return await read({}, statusIsFinal).catch((error) => {
      if (statusIsFinal || error instanceof DatabaseError || deadline.over()) throw error
      // The result is in doubt or was cut off. Some versions cut it off after an error in the middle of the rows.
      return read(FINAL_STATUS, true)
    })
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const over = deadline.over()
    // The message of a network error can contain the address, so it is dropped.
    if (!over) throw unreachable()
    await kill(address, id, io)
    throw over
  }
}

/** Maximum number of bytes to read of an error. Some versions send a stack trace with it. */
const MAX_REPORT_BYTES = 256 * 1024

/** Returns the response if it contains a result. Otherwise throws the error that it reports. */
async function accepted(response: Response, asked: StatementContext): Promise<Response> {
  const { status, headers } = response
  if (status === 200 && !headers.has('x-clickhouse-exception-code')) return response
  const report = (await readBody(response, MAX_REPORT_BYTES)) ?? ''
  throw clickhouseError(report, asked) ?? statusError(status)
}

/** Time limit for stopping a query. The caller has already waited for the full time limit. */
const KILL_MS = 2_000

/** Stops a query. Old versions and proxies do not stop it when the client disconnects. */
async function kill(address: ClickHouseAddress, id: string, io: Io): Promise<void> {
  const sql = `KILL QUERY WHERE query_id = '${id}'`
  await send(address, {}, sql, AbortSignal.timeout(KILL_MS), io).then(
    (response) => response.body?.cancel(),
    () => {},
  )
}

// Does not use post(), because a broken connection and a response that is an error are different cases here.
const send = (
  { endpoint, authorization }: ClickHouseAddress,
  parameters: HttpParameters,
  body: string,
  signal: AbortSignal,
  { fetch }: Io,
  trace?: QueryContext['trace'],
) => {
  // The server adds its own spans to the trace, if it records any.
  const headers = { authorization, ...(trace && { traceparent: trace.traceparent }) }
  return fetch(`${endpoint}?${new URLSearchParams(parameters)}`, requestOf(headers, body, signal))
}
