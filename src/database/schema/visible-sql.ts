import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { read } from '../guard/reading.ts'
import { relations } from '../guard/relations.ts'
import { isName, isOne, type Token } from '../guard/token.ts'
import type { QueryContext, Statement } from '../rows.ts'
import { asciiLower } from '../words.ts'
import { askCatalog, listTables, meantTables } from './catalog.ts'
import type { Visibility } from './visible-tables.ts'

/** Maximum number of tables read, more than any group can see. */
const MAX_TABLES = 50_000

/**
 * Allows a statement only if the engine itself reports that it reads nothing but tables whose columns are all
 * visible. The text is checked as well, so that a hidden table and a missing table give the same error.
 * Throws {@link DatabaseError}.
 *
 * @param visible The database in which only visible tables exist.
 */
export async function assertVisible(
  database: Database,
  visible: Database,
  statement: Statement,
  visibility: Visibility,
  limits: QueryContext,
): Promise<void> {
  const { tablesRead } = database.dialect
  if (!tablesRead) throw new DatabaseError('refused', NO_SQL)
  const { tables } = await listTables(visible, { limit: MAX_TABLES, limits })
  const known = new Map(tables.map((it) => [asciiLower(it.name), it]))
  // An engine's internal tables in a visible schema are not in the list.
  const isReadable = (name: string) => {
    const found = known.get(asciiLower(name))
    return found !== undefined && visibility(found) === true
  }
  for (const name of tablesNamed(statement, database)) {
    const [schema, bare] = [name.slice(0, -1), name.at(-1)!]
    const found = schema.every((it) => it === database.dialect.schema) && known.get(bare)
    if (!found) {
      const shown = name.join('.')
      const message = `There is no table called ${JSON.stringify(shown.slice(0, 100))}.`
      throw new DatabaseError('sql', message, { hint: await meantTables(visible, shown, limits) })
    }
    if (visibility(found) !== true) {
      throw new DatabaseError('refused', `SQL cannot read ${found.name} here: use query_table.`)
    }
  }
  const ask = (it: Statement) => askCatalog(database, it, limits)
  const read = await tablesRead(statement, ask, isReadable).catch((error: unknown) => {
    // The engine can report a table that the text check missed. The error is the same whether or not it exists.
    if (!(error instanceof DatabaseError)) throw error
    if (database.dialect.errorPatterns.table.test(error.message)) return undefined
    throw error
  })
  if (!read?.every(({ name }) => isReadable(name))) throw new DatabaseError('refused', UNCLEAR)
}

const NO_SQL = 'This database does not accept SQL here: use query_table.'
const UNCLEAR =
  'It is not clear that this statement reads only tables that SQL can read here. Name the tables after FROM or JOIN, or use query_table.'

/** Tables in a statement, in lower case and with their schemas, without the names that its WITH defines. */
function tablesNamed(statement: Statement, { dialect }: Database): readonly (readonly string[])[] {
  const { tokens } = read(statement, dialect.rules)
  const own = namesOfWith(tokens)
  const begins = relations(tokens)
  const named = new Map<string, readonly string[]>()
  for (const [i, token] of tokens.entries()) {
    const behindIn = isOne(tokens[i - 1], 'in') && isName(token)
    if (!begins.has(i) && !behindIn) continue
    const name = [token.value]
    for (let at = i + 1; isOne(tokens[at], '.') && tokens[at + 1]; at += 2) {
      name.push(tokens[at + 1]!.value)
    }
    if (name.length > 1 || !own.has(token.value)) named.set(JSON.stringify(name), name)
  }
  return [...named.values()]
}

/** Names defined by the statement's WITH clauses: before `as (`, with or without a column list between. */
function namesOfWith(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>()
  const open: number[] = []
  let opened = 0
  for (const [i, token] of tokens.entries()) {
    if (isOne(token, '(')) open.push(i)
    if (isOne(token, ')')) opened = open.pop() ?? 0
    if (!isOne(token, 'as') || !isOne(tokens[i + 1], '(', 'materialized', 'not')) continue
    const name = tokens[isOne(tokens[i - 1], ')') ? opened - 1 : i - 1]
    if (name && isName(name)) names.add(name.value)
  }
  return names
}
