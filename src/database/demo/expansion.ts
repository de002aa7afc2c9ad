import { DatabaseError } from '../error.ts'
import { isName, isOne, type Token } from '../guard/token.ts'
import { isSymbol, type LexedSql } from './lexed-sql.ts'
import { nameBefore } from './recursions.ts'

/** More named queries than a question needs. A chain of them takes time by its square. */
const MAX_NAMED_QUERIES = 200

/** The tables of a statement times its tokens. SQLite takes about a second to plan for so many. */
const MAX_SIZE = 300_000

/** A statement, or a query that it names: `name as (…)`. */
interface Query {
  /** The tables and SELECTs in it, and its tokens, without those of the queries that it names. */
  tables: number
  tokens: number
  /** The named queries that it reads, once for each place. */
  readonly reads: Query[]
}

/**
 * Refuses a statement that takes long to prepare. SQLite copies a named query to each place where it
 * is read, before it makes a plan: of twenty that each read the one before twice, it makes a million.
 */
export function assertPreparable({ tokens }: LexedSql): void {
  const { tables, length } = expanded(read(tokens, namedIn(tokens)), new Map())
  // Written so that what is no number is refused, too.
  if (!(tables * length <= MAX_SIZE)) throw tooLong()
}

/** The queries that are named, by the token that opens their parentheses. */
interface Named {
  readonly bodies: ReadonlyMap<number, Query>
  /** By the token that opens the parentheses around the name: where it may be read. */
  readonly scopes: ReadonlyMap<number, ReadonlyMap<string, Query>>
}

const STATEMENT = -1

const begin = (): Query => ({ tables: 0, tokens: 0, reads: [] })

function namedIn(tokens: readonly Token[]): Named {
  const bodies = new Map<number, Query>()
  const scopes = new Map<number, Map<string, Query>>()
  const opened = new Map<number, number>()
  const open = [STATEMENT]
  for (const [i, token] of tokens.entries()) {
    if (isSymbol(token, ')') && open.length > 1) opened.set(i, open.pop()!)
    if (!isSymbol(token, '(')) continue
    const name = nameBefore(tokens, i, opened)
    if (name !== undefined) {
      const scope = scopes.get(open.at(-1)!) ?? new Map<string, Query>()
      const query = begin()
      // SQLite refuses a name that is given twice, except to a window.
      if (scope.has(name)) query.tables = Infinity
      scopes.set(open.at(-1)!, scope.set(name, query))
      bodies.set(i, query)
      if (bodies.size > MAX_NAMED_QUERIES) throw tooLong()
    }
    open.push(i)
  }
  return { bodies, scopes }
}

/** What is between two parentheses. */
interface Level {
  readonly start: number
  readonly query: Query
  /** Whether a comma is followed by another table. */
  listsTables: boolean
}

const AFTER_TABLES = ['select', 'values', 'where', 'group', 'having', 'order', 'limit']

/** The statement, with what it and its named queries read. */
function read(tokens: readonly Token[], { bodies, scopes }: Named): Query {
  const statement = begin()
  /** The queries that can be read here, by name. The last one counts. */
  const readable = new Map<string, Query[]>()
  const levels: Level[] = []
  const enter = (start: number, query: Query, listsTables: boolean) => {
    levels.push({ start, query, listsTables })
    for (const [name, it] of scopes.get(start) ?? []) {
      readable.set(name, [...(readable.get(name) ?? []), it])
    }
  }
  const leave = () => {
    for (const name of scopes.get(levels.pop()!.start)?.keys() ?? []) readable.get(name)!.pop()
  }
  enter(STATEMENT, statement, false)
  /** Whether a table may come next. */
  let due = false
  for (const [i, token] of tokens.entries()) {
    const level = levels.at(-1)!
    const { query } = level
    query.tokens++
    if (isSymbol(token, '(')) {
      enter(i, bodies.get(i) ?? query, due)
      continue
    }
    if (isSymbol(token, ')') && levels.length > 1) leave()
    if (isOne(token, 'select')) query.tables++
    if (isOne(token, 'from', 'join')) level.listsTables = true
    else if (isOne(token, ...AFTER_TABLES)) level.listsTables = false
    else if (isName(token) && (due || isOne(tokens[i - 1], 'in'))) {
      query.tables++
      const it = readable.get(token.value)?.at(-1)
      // One that reads itself is not copied.
      if (it && it !== query) query.reads.push(it)
    }
    due = isOne(token, 'from', 'join') || (isSymbol(token, ',') && level.listsTables)
  }
  return statement
}

/** The tables and tokens of a query with all copies in it. */
interface Size {
  readonly tables: number
  readonly length: number
}

function expanded(query: Query, known: Map<Query, Size>): Size {
  const before = known.get(query)
  if (before) return before
  // For those that read each other, which have no end.
  known.set(query, { tables: Infinity, length: Infinity })
  let [tables, length] = [query.tables, query.tokens]
  for (const it of query.reads) {
    const copy = expanded(it, known)
    tables += copy.tables
    length += copy.length
  }
  known.set(query, { tables, length })
  return { tables, length }
}

const tooLong = () =>
  new DatabaseError(
    'refused',
    'This query is too long for the tables that it reads. A named query counts wherever it is read. Read fewer tables, name fewer queries, or ask in parts.',
  )
