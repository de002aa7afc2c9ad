import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { read } from '../guard/reading.ts'
import { relations } from '../guard/relations.ts'
import { isName, isOne, type Token } from '../guard/token.ts'
import type { Limits, Statement } from '../rows.ts'
import { CATALOG_LIMITS, listTables, meantTables } from './catalog.ts'
import type { Visibility } from './visible-tables.ts'

/** More tables than any group of people is shown. */
const MAX_TABLES = 50_000

/**
 * Lets a statement pass only if the engine itself tells that it reads nothing but tables that are visible
 * with all their columns. Its text is looked at as well, so that a hidden table and one that does not
 * exist have the same error. Throws {@link DatabaseError}.
 *
 * @param visible The database in which only visible tables exist.
 */
export async function assertVisible(
  database: Database,
  visible: Database,
  statement: Statement,
  visibility: Visibility,
  limits: Limits,
): Promise<void> {
  const { tablesRead } = database.dialect
  if (!tablesRead) throw new DatabaseError('refused', NO_SQL)
  const { tables } = await listTables(visible, { limit: MAX_TABLES, limits })
  const known = new Map(tables.map((it) => [lowerCase(it.name), it]))
  // Of the tables of a visible schema, those that an engine keeps for itself are not in the list.
  const isReadable = (name: string) => {
    const found = known.get(lowerCase(name))
    return found !== undefined && visibility(found) === true
  }
  for (const name of tablesNamed(statement, database)) {
    const [schema, bare] = [name.slice(0, -1), name.at(-1)!]
    const found = schema.every((it) => it === database.dialect.schema) && known.get(bare)
    if (!found) {
      const shown = name.join('.')
      throw new DatabaseError(
        'sql',
        `There is no table called ${JSON.stringify(shown.slice(0, 100))}.`,
        {
          hint: await meantTables(visible, shown, limits),
        },
      )
    }
    if (visibility(found) !== true) {
      throw new DatabaseError('refused', `SQL cannot read ${found.name} here: use query_table.`)
    }
  }
  const ask = (it: Statement) => database.query(it, { ...limits, ...CATALOG_LIMITS })
  const read = await tablesRead(statement, ask, isReadable).catch((error: unknown) => {
    // Only a table that the text hides so well is told by the engine. It may exist or not.
    if (!(error instanceof DatabaseError)) throw error
    if (database.dialect.errorPatterns.table.test(error.message)) return undefined
    throw error
  })
  if (!read?.every(({ name }) => isReadable(name))) throw new DatabaseError('refused', UNCLEAR)
}

/** As engines fold names, and tokens are: toLowerCase() would make a Kelvin sign a k. */
const lowerCase = (name: string) => name.replace(/[A-Z]+/g, (it) => it.toLowerCase())

const NO_SQL = 'This database takes no SQL here: use query_table.'
const UNCLEAR =
  'This statement does not show that it reads only tables that SQL may read here. Name them after FROM or JOIN, or use query_table.'

/** The tables that a statement names, in lower case and with their schemas, without its own WITH. */
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

/** The names that the WITH clauses of a statement give: before `as (`, perhaps with columns between. */
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
