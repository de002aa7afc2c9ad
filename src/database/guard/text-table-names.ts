/** Begins a list of tables, and ends one. No bare word of the latter can be an alias in SQLite. */
const TABLES = new Set(['from', 'join', 'with', 'recursive'])
const OTHERS = new Set(['select', 'values', 'where', 'group', 'having', 'order', 'limit'])

interface Word {
  readonly kind: string
  readonly value: string
}

/**
 * Whether a text stands for the name of a table: SQLite reads `from 'x'` as it does `from "x"`, and
 * whoever judges by names passes over texts. In `in ('x')`, in `f('x')` and wherever else a value is
 * due, the same is nothing but a text.
 */
export function hasTextName(tokens: readonly Word[]): boolean {
  /** At each depth of parentheses: whether a comma is followed by another table. */
  const lists = [false]
  /** Whether a table is due next. */
  let due = false
  for (const [i, { kind, value }] of tokens.entries()) {
    // A name in quotes is no keyword.
    const before = tokens[i - 1]?.kind === 'name' ? undefined : tokens[i - 1]?.value
    if (kind === 'text') {
      if (due || before === 'in' || before === '.') return true
    } else if (value === '(' && kind === 'symbol') {
      lists.push(due)
      continue
    } else if (value === ')' && kind === 'symbol') {
      if (lists.length > 1) lists.pop()
    } else if (kind === 'word' && (TABLES.has(value) || OTHERS.has(value))) {
      // `a is distinct from 'b'` compares.
      due = TABLES.has(value) && before !== 'distinct'
      if (due || OTHERS.has(value)) lists[lists.length - 1] = due
      continue
    }
    due = value === ',' && kind === 'symbol' && lists.at(-1) === true
  }
  return false
}
