import { DatabaseError, PARAMETER_HINT } from '../error.ts'
import { inlined } from '../guard/inlined.ts'
import { read } from '../guard/reading.ts'
import type { Param, Statement } from '../rows.ts'
import { rules } from './rules.ts'

/**
 * Writes a statement's values into its SQL, for a protocol that cannot send them separately. The guard's
 * lexer finds the placeholders: a question mark in a string or a comment is not a placeholder.
 */
export function inlineParams(statement: Statement): string {
  const { sql, params = [] } = statement
  const { tokens, fault = '' } = read(statement, rules)
  if (tokens.length === 0) throw new DatabaseError('refused', fault)
  const places = tokens.filter((it) => it.kind === 'symbol' && it.value === '?')
  if (places.length !== params.length) {
    throw new DatabaseError(
      'sql',
      `Send a value for each placeholder (?): there are ${places.length}, and ${params.length} values were sent.`,
      { hint: PARAMETER_HINT },
    )
  }
  const values = places.map(({ start, end }, i) => ({ start, end, value: params[i]!, literal }))
  return values.length === 0 ? sql : inlined(statement, values, rules)
}

/** Quotes a name so that MySQL reads it the same way in every mode. */
export const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** Writes a value for a session in which a backslash is an escape. */
export function literal(value: Param): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `'${value.replace(SPECIAL, (it) => ESCAPES[it]!)}'`
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (Number.isFinite(value)) return String(value)
  throw new DatabaseError('sql', 'A parameter is not a valid MySQL number.')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and ^Z have escapes of their own
const SPECIAL = /[\0\n\r\x1a\\'"]/g

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\x1a': '\\Z',
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
}
