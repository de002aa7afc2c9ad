import type { Database } from '../database.ts'
import type { ErrorPatterns } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { QueryContext, Statement } from '../rows.ts'
import { columnsOf, meantTables, summaries } from './catalog.ts'
import { mentionedTables } from './mentioned-tables.ts'
import { nearest } from './nearest-names.ts'

/** Time limit for a hint's catalog queries. */
const MAX_HINT_MS = 2_000

/** Suggests names for an error about an unknown or ambiguous table or column, if any are similar. Never fails. */
export async function hintFor(
  database: Database,
  statement: Statement,
  { kind, message, hint, position }: DatabaseError,
  limits: QueryContext,
): Promise<string | undefined> {
  if (kind !== 'sql' || hint !== undefined) return undefined
  const literal = typedLiteral(statement.sql, message, position)
  if (literal !== undefined) return literal
  const name = (what: keyof ErrorPatterns) =>
    database.dialect.errorPatterns[what].exec(message)?.[1]
  const bounds = { ...limits, timeoutMs: Math.min(limits.timeoutMs, MAX_HINT_MS) }
  try {
    const table = name('table')
    if (table !== undefined) return await meantTables(database, last(table), bounds)
    const column = name('column')
    if (column !== undefined) return await columnMeant(database, statement, last(column), bounds)
    const several = name('ambiguous')
    if (several !== undefined) return await whoseColumn(database, statement, last(several), bounds)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
  }
  return undefined
}

/** Suggests a replacement for `interval $1`, which PostgreSQL reads as a broken literal. */
function typedLiteral(sql: string, message: string, position?: number): string | undefined {
  const [, parameter] = /^syntax error at or near "(\$\d{1,5})"$/.exec(message) ?? []
  if (parameter === undefined || position === undefined) return undefined
  const before = [...sql].slice(Math.max(0, position - 41), position - 1).join('')
  const [, type] = TYPE.exec(before) ?? []
  return (
    type && `A typed literal cannot take a parameter: write ${parameter}::${type.toLowerCase()}.`
  )
}

const TYPE =
  /\b(interval|date|(?:time|timestamp)(?: with(?:out)? time zone)?|timetz|timestamptz|uuid|jsonb?|numeric|inet)\s{1,9}$/i

const last = (name: string) => name.replace(/["`']/g, '').split('.').at(-1)!

async function columnMeant(
  database: Database,
  statement: Statement,
  column: string,
  limits: QueryContext,
): Promise<string | undefined> {
  const all = await columnsIn(database, statement, limits)
  const likely = nearest(column, [...new Set(all.map(([, name]) => name))])
  if (likely.length === 0) {
    const names = all.map((it) => it.join('.'))
    return names.length > 0 ? `Available columns: ${names.join(', ').slice(0, 400)}.` : undefined
  }
  const names = likely.map((name) => all.find((it) => it[1] === name)!.join('.'))
  return `Did you mean ${names.join(' or ')}?`
}

/** Tables in a statement that have a column that it mentions without a table. */
async function whoseColumn(
  database: Database,
  statement: Statement,
  column: string,
  limits: QueryContext,
): Promise<string | undefined> {
  const all = await columnsIn(database, statement, limits)
  const named = all.filter(([, name]) => name.toLowerCase() === column.toLowerCase())
  if (named.length === 0) return undefined
  const names = named.map((it) => it.join('.'))
  return `Specify the table or its alias: ${names.join(' or ').slice(0, 400)}.`
}

/** Columns of the tables in a statement, each with its table. */
async function columnsIn(
  database: Database,
  statement: Statement,
  limits: QueryContext,
): Promise<readonly (readonly [table: string, column: string])[]> {
  const found = await Promise.all(
    mentionedTables(statement, database.dialect).map((name) => summaries(database, name, limits)),
  )
  const tables = found.flatMap((it) => it.slice(0, 1))
  const columns = await columnsOf(database, tables, limits)
  return tables.flatMap(({ name }, i) =>
    columns[i]!.map(([column]) => [name, `${column}`] as const),
  )
}
