import type { UnguardedDatabase } from '../../src/database/database.ts'
import { DatabaseError } from '../../src/database/error.ts'
import type { Cell } from '../../src/database/rows.ts'
import { blob } from '../../src/database/sqlite/values.ts'
import type { Query } from './queries.ts'

/** The answer of an engine to a query that is not wrapped, or undefined if it refuses the query. */
export type Plain = (query: Query) => Answer | undefined | Promise<Answer | undefined>

export interface Answer {
  readonly names: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** A query for which the driver and the engine return different answers. */
export interface Change extends Query {
  readonly input: number
  readonly plain: string
  readonly driven: string
}

export interface Tally {
  readonly inputs: number
  /** The number that the engine answered. */
  readonly answered: number
  readonly changes: readonly Change[]
  /** The number of integers that were rounded like in any subquery: see {@link isRounded}. */
  readonly rounded: number
}

export interface Options {
  /** True if a driver may refuse a query that the engine answers. */
  readonly mayRefuse?: (error: DatabaseError) => boolean
  /** The part of a value to compare. The default is the whole value. */
  readonly seen?: (cell: Cell, plain: unknown) => unknown
  onProgress?(tally: Tally): void
}

const limits = { maxBytes: 4_000_000, timeoutMs: 20_000 }

/** Runs queries on an engine and through a driver of ours, and reports differences. */
export async function unchanged(
  plain: Plain,
  { query: drive }: Pick<UnguardedDatabase, 'query'>,
  queries: Iterable<Query>,
  { mayRefuse, seen = (cell) => cell, onProgress }: Options = {},
): Promise<Tally> {
  const changes: Change[] = []
  let [inputs, answered, rounded] = [0, 0, 0]
  for (const query of queries) {
    if (changes.length === 10) break
    inputs++
    if (inputs % 10_000 === 0) onProgress?.({ inputs, answered, changes, rounded })
    const expected = await plain(query)
    if (expected) answered++
    // All rows, or only the first ones.
    const maxRows = inputs % 5 === 0 ? 2 : 5_000
    const driven = await drive(query, { ...limits, maxRows }).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error
      return error
    })
    if (driven instanceof DatabaseError) {
      // An engine that stops at a cap may never reach the error.
      if (!expected || mayRefuse?.(driven)) continue
      changes.push({ ...query, input: inputs, plain: show(expected), driven: String(driven) })
      continue
    }
    if (!expected) {
      if (maxRows > 2)
        changes.push({ ...query, input: inputs, plain: 'refused', driven: show(driven) })
      continue
    }
    const rows = expected.rows.slice(0, maxRows)
    const mine = show({
      names: driven.columns.map(({ name }) => name),
      rows: driven.rows.map((row, i) =>
        row.map((cell, j) => {
          const value = rows[i]?.[j]
          if (!isRounded(cell, value, query)) return seen(cell, value)
          rounded++
          return seen(cellOf(value), value)
        }),
      ),
    })
    const theirs = show({
      names: expected.names,
      rows: rows.map((row) => row.map((value) => seen(cellOf(value), value))),
    })
    const truncated = expected.rows.length > maxRows ? 'rows' : false
    if (mine !== theirs || driven.truncated !== truncated) {
      changes.push({ ...query, input: inputs, plain: theirs, driven: mine })
    }
  }
  return { inputs, answered, changes, rounded }
}

/**
 * True if SQLite turned a big integer into a real. It does so if a compound query with integers and
 * reals in one column is read as a table, and D1 has no other way to return the digits.
 */
const isRounded = (cell: Cell, value: unknown, { sql }: Query) =>
  typeof value === 'bigint' &&
  !Number.isSafeInteger(Number(value)) &&
  cell === Number(value) &&
  /union|except|intersect/.test(sql)

const show = (it: unknown) =>
  JSON.stringify(it, (_, value) => (typeof value === 'bigint' ? `${value}` : value))

/** The expected cell for a value from a Node engine. */
export function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  }
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return '-0'
    return Number.isFinite(value) ? value : String(value)
  }
  if (value instanceof Uint8Array) return blob(value)
  return value as Cell
}
