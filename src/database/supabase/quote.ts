import { read } from '../guard/reading.ts'
import { rules } from '../postgres/rules.ts'
import type { Param, Statement } from '../rows.ts'

/**
 * A statement with its values written into it, as constants that have no type yet: PostgreSQL finds
 * their types as it does for `$1`, at each place anew. It is taken apart as the guard does it: a `$1`
 * in a text, a name or a comment is none. One without a value stays, and PostgreSQL says so.
 */
export function inlineParams(statement: Statement): string {
  const { sql, params = [] } = statement
  if (params.length === 0) return sql
  let text = ''
  let at = 0
  for (const { kind, value, start, end } of read(statement, rules).tokens) {
    if (kind !== 'symbol' || !/^\$\d+$/.test(value)) continue
    const param = params[Number(value.slice(1)) - 1]
    if (param === undefined) continue
    // In parentheses, so that nothing before or behind becomes part of it.
    text += `${sql.slice(at, start)}(${literal(param)})`
    at = end
  }
  return text + sql.slice(at)
}

/** A value as PostgreSQL reads it where backslashes are nothing special. */
const literal = (value: Param) =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
