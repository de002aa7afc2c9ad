import { read } from '../guard/reading.ts'
import { rules } from '../postgres/rules.ts'
import type { Param, Statement } from '../rows.ts'

/**
 * A statement with its values written into it, as constants without a type: PostgreSQL infers their
 * types as it does for `$1`, but at each place separately. The guard's lexer finds the placeholders: a
 * `$1` in a text, a name or a comment is not one. One without a value stays, and PostgreSQL reports it.
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
    // In parentheses, so that nothing before or after becomes part of it.
    text += `${sql.slice(at, start)}(${literal(param)})`
    at = end
  }
  return text + sql.slice(at)
}

/** A value as PostgreSQL reads it with `standard_conforming_strings`. */
const literal = (value: Param) =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
