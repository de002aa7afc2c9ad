import type { Driver, Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Answer, Cell, Param, QueryContext, Statement } from '../rows.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import { RowCollector } from '../transport/row-cap.ts'
import { isHttps } from '../transport/url.ts'
import { sqlite } from './dialect.ts'
import { PARAMETERS } from './error.ts'
import { columnsFor, decodeExact, type Exact, encodeExact } from './exact.ts'
import { PRAGMA, withoutExplain } from './explain-prefix.ts'
import {
  addressOf,
  type Description,
  describe,
  type HranaAddress,
  type HranaValue,
  run,
} from './hrana.ts'
import { type HranaError, hranaError } from './hrana-error.ts'
import { Proofs } from './proofs.ts'
import { probe, unwrapped } from './single.ts'
import { blob, cell } from './values.ts'

/** libSQL as served by Turso, through Hrana over HTTP: `libsql://HOST?authToken=…`, or `turso://`. */
export const libsql: Driver = {
  name: 'libsql',
  opens: ({ protocol }) => protocol === 'libsql:' || protocol === 'turso:',
  open(url, io) {
    const address = addressOf(url)
    const proofs = new Proofs<Proof>()
    return {
      dialect: sqlite,
      tls: isHttps(address),
      refusesBy: 'after SQLite has reported that they only read, and are rolled back',
      query: (statement, limits) => read(address, statement, limits, io, proofs),
    }
  },
}

/** Facts about a statement that is one query and does not write. */
interface Proof {
  /** True if a LIMIT can follow it. */
  readonly isLimited: boolean
  readonly placeholders: number | undefined
}

/**
 * Runs one statement in two round trips, or in one if the same statement was proved within the last minute. SQLite
 * first shows whether the statement is one query that does not write. Then it runs in a transaction that is rolled
 * back. A batch in the mode `read` would not be enough, because it can write.
 *
 * The query runs unchanged, followed by a LIMIT that keeps the server from reading on. A query with its own
 * LIMIT cannot have a second one, so the server then reads on until we close the connection.
 */
async function read(
  address: HranaAddress,
  { sql, params = [] }: Statement,
  limits: QueryContext,
  io: Io,
  proofs: Proofs<Proof>,
): Promise<Answer> {
  const deadline = startDeadline(limits)
  const [explain, query] = withoutExplain(sql)
  if (PRAGMA.test(query)) throw new DatabaseError('refused', WRITES)
  const limited = `${query}\nlimit ${limits.maxRows + 1}`

  async function prove(): Promise<Proof> {
    const texts = [probe(query), query, explain ? explain + query : limited]
    const found = await describe(address, texts, deadline, io)
    const isLimited = !explain && 'is_readonly' in found[2]!
    const sound = explain || isLimited ? found : found.slice(0, 2)
    assertReads(sound, texts, query)
    return { isLimited, placeholders: (found[1] as Description).params?.length }
  }

  return proofs.run(explain + query, prove, async ({ isLimited, placeholders }) => {
    if ((placeholders ?? params.length) !== params.length) {
      throw new DatabaseError('sql', PARAMETERS)
    }
    const once = (text: string, asText: (text: string) => Exact) => {
      const stmt = { sql: text, args: params.map(argument) }
      return take({ address, stmt, asText, limits, deadline, io })
    }
    const text = explain ? explain + query : isLimited ? limited : query
    const plain = await once(text, (text) => ({ type: 'text', cell: text }))
    const { cols } = plain
    const { types, rows, truncated } = plain.infinite
      ? await once(encodeExact(query, cols.length, limits.maxRows + 1), decodeExact)
      : plain
    const [names, declared] = [cols.map(({ name }) => name), cols.map(({ decltype }) => decltype)]
    return { columns: columnsFor(names, types, declared), rows, truncated }
  })
}

/** Refuses everything except a single query that only reads, based on the server's descriptions. */
function assertReads(
  found: readonly (Description | HranaError)[],
  texts: readonly string[],
  query: string,
): void {
  for (const [i, it] of found.entries()) {
    if ('is_readonly' in it) {
      if (it.is_readonly === true) continue
      throw new DatabaseError('refused', WRITES)
    }
    const error = hranaError(it, texts[i])
    throw i === 0 && error.kind === 'sql' ? unwrapped(error, query) : error
  }
}

const WRITES = 'This database is read-only: that would write.'

const argument = (param: Param): HranaValue => {
  if (param === null) return { type: 'null' }
  if (typeof param === 'string') return { type: 'text', value: param }
  const number = Number(param)
  return Number.isSafeInteger(number)
    ? { type: 'integer', value: String(number) }
    : { type: 'float', value: number }
}

interface LibsqlRun {
  readonly address: HranaAddress
  readonly stmt: { readonly sql: string; readonly args: readonly HranaValue[] }
  /** Reads a value that arrived as a string. */
  readonly asText: (text: string) => Exact
  readonly limits: QueryContext
  readonly deadline: Deadline
  readonly io: Io
}

/** Reads the rows that fit. `infinite`: true if one contains an infinity, whose sign Hrana does not show. */
async function take({ address, stmt, asText, limits, deadline, io }: LibsqlRun) {
  const steps = [
    { stmt: { sql: 'begin' } },
    { stmt, condition: { type: 'ok', step: 0 } as const },
    { stmt: { sql: 'rollback' } },
  ]
  const collector = new RowCollector(limits)
  const types: string[][] = []
  let infinite = false
  let cols: Description['cols'] = []
  for await (const entry of run(address, steps, deadline, io)) {
    const { type, step, row, error } = entry
    if (type === 'step_begin' && step === 1) cols = entry.cols ?? []
    // If an error ended the transaction, nothing is left to roll back.
    if (type === 'error' || (type === 'step_error' && step !== 2)) {
      throw hranaError(error ?? { message: '' })
    }
    if (type !== 'row' || !row) continue
    infinite ||= row.some((value) => value.type === 'float' && typeof value.value !== 'number')
    const exact = row.map((value) => exactly(value, asText))
    if (!collector.add(exact.map(({ cell }) => cell))) break
    types.push(exact.map(({ type }) => type))
  }
  return { rows: collector.rows, truncated: collector.truncated, cols, types, infinite }
}

function exactly(value: HranaValue, asText: (text: string) => Exact): Exact {
  switch (value.type) {
    case 'integer':
      return { type: 'integer', cell: integer(value.value) }
    case 'float':
      return { type: 'real', cell: cell(value.value) }
    case 'text':
      return asText(value.value)
    case 'blob':
      return { type: 'blob', cell: blob(bytes(value.base64)) }
    default:
      return { type: 'null', cell: null }
  }
}

const integer = (digits: string): Cell =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : digits

const bytes = (base64: string) => Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))
