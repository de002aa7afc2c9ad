import { DatabaseError } from '../error.ts'
import { isName, isOne, type Token } from '../guard/token.ts'
import { words } from '../words.ts'
import { namedQueries } from './named-queries.ts'

/** The limit for tables times tokens, counting every copy. SQLite takes half a second to prepare that many. */
const MAX_SIZE = 300_000

/** The limit for tokens in the statement's queries, counting every copy. */
const MAX_COPIED = 50_000

/** The limit for queries in parentheses: more than any question needs. */
const MAX_QUERIES = 100

/** A SELECT in parentheses, or the whole statement. */
interface SelectSize {
  tokens: number
  tables: number
  /** The number of times each name is written in it. */
  readonly names: Map<string, number>
  readonly reads: SelectSize[]
}

/** An open parenthesis, and the block around it. */
interface Level {
  readonly block: SelectSize
  /** True if a comma here is followed by another table. */
  listsTables: boolean
}

const begin = (): SelectSize => ({ tokens: 0, tables: 0, names: new Map(), reads: [] })

/**
 * Refuses a statement that takes long to prepare, and one that reads itself. SQLite copies a named query to
 * each place that reads it, and a computed column to each place that uses it: if each of twenty queries
 * uses the one before it twice, that makes a million copies. Nothing in SQLite limits this time.
 */
export function assertPreparable(tokens: readonly Token[]): void {
  const common = namedQueries(tokens).filter(({ isCommon }) => isCommon)
  const bodies = new Map(common.map(({ opensAt }) => [opensAt, begin()]))
  const named = Map.groupBy(common, ({ name }) => name)
  const statement = begin()
  const levels: Level[] = [{ block: statement, listsTables: false }]
  let isTable = false
  let queries = 0
  for (const [i, token] of tokens.entries()) {
    const level = levels.at(-1)!
    const { block } = level
    block.tokens++
    if (isOne(token, '(')) {
      const body = bodies.get(i)
      const isQuery = isOne(tokens[i + 1], 'select', 'with', 'values')
      const inner = body ?? (isQuery ? begin() : block)
      if (isQuery && ++queries > MAX_QUERIES) throw tooLong()
      if (isQuery && !body) block.reads.push(inner)
      levels.push({ block: inner, listsTables: inner === block && isTable })
      continue
    }
    if (isOne(token, ')') && levels.length > 1) levels.pop()
    if (isOne(token, 'select')) block.tables++
    if (isOne(token, 'from', 'join')) level.listsTables = true
    else if (isOne(token, ...AFTER_TABLES)) level.listsTables = false
    else if (isName(token)) {
      if (token.kind === 'name' || !KEYWORDS.has(token.value)) {
        block.names.set(token.value, (block.names.get(token.value) ?? 0) + 1)
      }
      if (isTable || isOne(tokens[i - 1], 'in')) {
        block.tables++
        const read = named.get(token.value) ?? []
        block.reads.push(...read.map(({ opensAt }) => bodies.get(opensAt)!))
      }
    }
    isTable = isOne(token, 'from', 'join') || (isOne(token, ',') && level.listsTables)
  }
  const { tables, length } = expanded(statement, new Map())
  const copied = length - statement.tokens
  if (tables * length > MAX_SIZE || copied > MAX_COPIED) throw tooLong()
}

const AFTER_TABLES = words('select values where group having order limit')

/** Frequent words that are not copied. */
const KEYWORDS = new Set(
  words(
    'select from where group order by having limit as on and or not in is null like between case when then',
    'else end join left inner using over partition distinct asc desc count sum avg min max round coalesce',
  ),
)

/** The tables and tokens of a block, including all copies in it. */
interface Size {
  readonly tables: number
  readonly length: number
}

function expanded(block: SelectSize, known: Map<SelectSize, Size | 'open'>): Size {
  const before = known.get(block)
  if (before === 'open') throw recursive()
  if (before) return before
  known.set(block, 'open')
  let { tables, tokens: length } = block
  const uses = Math.max(1, ...block.names.values())
  for (const it of block.reads) {
    const copy = expanded(it, known)
    tables += copy.tables
    length += copy.length * uses
  }
  known.set(block, { tables, length })
  return { tables, length }
}

const tooLong = () =>
  new DatabaseError(
    'refused',
    'This query is too long for the demo. A named query counts each time it is read, and a computed column each time it is used. Read fewer tables, name fewer queries, or split it into several queries.',
  )

export const recursive = () =>
  new DatabaseError(
    'refused',
    'The demo does not run recursive queries. Join the table with itself, once for each level.',
  )
