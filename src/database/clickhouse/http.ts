import type { Io } from '../database.ts'
import { DatabaseError, unreachable } from '../error.ts'
import type { Answer, Limits, Statement } from '../rows.ts'
import { readBody } from '../transport/body.ts'
import { type Patience, patience } from '../transport/deadline.ts'
import { requestOf } from '../transport/post.ts'
import { decoded } from '../transport/url.ts'
import { FORMAT, readAnswer } from './answer.ts'
import { bind } from './bind.ts'
import { later } from './catalog.ts'
import { type Asked, brokenOff, clickhouseError, statusError } from './error.ts'
import { QUESTION, settings, type Terms, termsOf, tooMuch, usual } from './server-capabilities.ts'

/** Where to send statements, and in whose name. */
export interface Address {
  readonly endpoint: string
  readonly user: string
  readonly database: string
  /** Holds the password: it travels in this header, and nowhere else. */
  readonly authorization: string
}

/** The address that a URL stands for. Throws {@link DatabaseError}. */
export function addressOf(url: URL): Address {
  const [, database = '', more] = url.pathname.split('/')
  if (!url.hostname || more !== undefined) {
    throw new DatabaseError(
      'config',
      'A ClickHouse URL names a host and a database: clickhouse://user:password@host/database',
    )
  }
  const [scheme, port] = url.protocol === 'clickhouses:' ? ['https', '8443'] : ['http', '8123']
  const user = decoded(url.username) || 'default'
  const login = new TextEncoder().encode(`${user}:${decoded(url.password)}`)
  return {
    endpoint: `${scheme}://${url.hostname}:${url.port || port}/`,
    user,
    database: decoded(database) || 'default',
    authorization: `Basic ${btoa(String.fromCharCode(...login))}`,
  }
}

/** What is known of servers that do not take what is usual, by their address and the user. */
const agreed = new Map<string, Terms>()

/** Servers of an isolate that are remembered. */
const MAX_AGREED_SERVERS = 200

/**
 * Runs one statement so that it can only read. A server that finds something too much is asked once
 * what it takes, and then told no more. Throws {@link DatabaseError}.
 */
export async function send(
  address: Address,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Answer> {
  const wait = patience(limits)
  const key = `${address.endpoint} ${address.user}`
  const bound = bind(statement)
  const asked = { sql: bound === statement.sql ? bound : undefined, ...address, ...limits }
  const post = (sql: string, parameters: Readonly<Record<string, string>>, bounds = limits) =>
    exchange(address, sql, parameters, asked, bounds, io, wait)
  const ask = (terms: Terms) => post(inTerms(bound, terms), parametersOf(terms, limits))
  try {
    return await ask(agreed.get(key) ?? usual)
  } catch (error) {
    if (agreed.has(key) || !tooMuch(error)) throw error
    const answer = await post(QUESTION, {}, { ...limits, ...QUESTION_LIMITS }).catch(
      (thrown: DatabaseError) => {
        throw thrown.kind === 'network' || thrown.kind === 'timeout' ? thrown : error
      },
    )
    const terms = termsOf(answer)
    agreed.set(key, terms)
    const [oldest] = agreed.keys()
    if (agreed.size > MAX_AGREED_SERVERS && oldest !== undefined) agreed.delete(oldest)
    if (terms.free && terms.lacking.size === 0) throw error
    return ask(terms)
  }
}

/** With nothing in it that the server does not have. */
function inTerms(sql: string, { lacking }: Terms): string {
  return Object.entries(later)
    .filter(([name]) => lacking.has(name))
    .reduce((text, [name, instead]) => text.replaceAll(name, instead), sql)
}

/** Room for the answer to {@link QUESTION}. */
const QUESTION_LIMITS = { maxRows: 100, maxBytes: 100_000 }

function parametersOf(terms: Terms, limits: Limits): Record<string, string> {
  // Who may set no bounds must not have the server gather all there is before it answers.
  return { ...settings(terms, limits), ...(terms.free && SETTLED) }
}

async function exchange(
  { endpoint, database, authorization }: Address,
  sql: string,
  parameters: Readonly<Record<string, string>>,
  asked: Asked,
  limits: Limits,
  { fetch }: Io,
  wait: Patience,
): Promise<Answer> {
  let id = ''
  const to = (more: Readonly<Record<string, string>>) => `${endpoint}?${new URLSearchParams(more)}`
  // Not by post(): a connection that broke is one thing here, and an answer that is an error another.
  const send = (to: string, body: string, signal: AbortSignal) =>
    fetch(to, requestOf({ authorization }, body, signal))
  const ask = async (more: Readonly<Record<string, string>>) => {
    id = crypto.randomUUID()
    const response = await send(
      to({ database, default_format: FORMAT, query_id: id, ...parameters, ...more }),
      sql,
      wait.signal,
    )
    if (response.status === 200 && !response.headers.has('x-clickhouse-exception-code')) {
      return response
    }
    const report = (await readBody(response, MAX_REPORT)) ?? ''
    throw clickhouseError(report, asked) ?? statusError(response.status)
  }
  const csv = async () => {
    // No longer than the rows that were read already, but for a quote that is doubled.
    const text = await readBody(
      await ask({ default_format: 'CSV', ...SETTLED }),
      4 * limits.maxBytes,
    )
    if (text === undefined) throw brokenOff()
    return text
  }
  const read = async (more: Readonly<Record<string, string>>, settled: boolean) =>
    readAnswer(await ask(more), limits, asked, { settled, csv })
  try {
    const settled = 'wait_end_of_query' in parameters
    return await read({}, settled).catch((error) => {
      if (settled || error instanceof DatabaseError || wait.over()) throw error
      // It is doubtful, or broke off, as some versions do behind an error that comes amid rows.
      return read(SETTLED, true)
    })
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const over = wait.over()
    // A stranger's message may hold the address: it is dropped.
    if (!over) throw unreachable()
    // Old versions, and proxies, do not tell a query that its caller has left.
    const kill = `KILL QUERY WHERE query_id = '${id}'`
    await send(to({}), kill, AbortSignal.timeout(LAST_WORD_MS)).then(
      (response) => response.body?.cancel(),
      () => {},
    )
    throw over
  }
}

/** Has an answer come with a status that holds for all of it. */
const SETTLED = { wait_end_of_query: '1' }

/** Bytes of an error that are read: some versions send the path through their source with it. */
const MAX_REPORT = 256 * 1024

/** Time to tell a server to stop: who still waits has waited long enough. */
const LAST_WORD_MS = 2_000
