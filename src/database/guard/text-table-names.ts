import type { Token } from './token.ts'

/** Words that begin a list of tables, and words that end one. SQLite accepts none of the latter as an alias. */
const BEFORE_TABLES = new Set(['from', 'join', 'with', 'recursive'])
const AFTER_TABLES = new Set(['select', 'values', 'where', 'group', 'having', 'order', 'limit'])

/**
 * True if a string literal is used as a table name: SQLite reads `from 'x'` like `from "x"`, but the guard
 * looks only at names. Where a value is expected, as in `in ('x')` and `f('x')`, a string is just a string.
 */
export function hasTextName(tokens: readonly Token[]): boolean {
  /** For each depth of parentheses, true if a comma is followed by another table. */
  const lists = [false]
  /** True if a table is expected next. */
  let due = false
  for (const [i, { kind, value }] of tokens.entries()) {
    // A quoted name is not a keyword.
    const before = tokens[i - 1]?.kind === 'name' ? undefined : tokens[i - 1]?.value
    if (kind === 'text') {
      if (due || before === 'in' || before === '.') return true
    } else if (value === '(' && kind === 'symbol') {
      lists.push(due)
      continue
    } else if (value === ')' && kind === 'symbol') {
      if (lists.length > 1) lists.pop()
    } else if (kind === 'word' && (BEFORE_TABLES.has(value) || AFTER_TABLES.has(value))) {
      // `a is distinct from 'b'` compares.
      due = BEFORE_TABLES.has(value) && before !== 'distinct'
      if (due || AFTER_TABLES.has(value)) lists[lists.length - 1] = due
      continue
    }
    due = value === ',' && kind === 'symbol' && lists.at(-1) === true
  }
  return false
}
