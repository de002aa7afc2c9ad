import type { Rules } from '../rules.ts'
import { matches } from './names.ts'
import type { StatementReading } from './reading.ts'
import { isName, isOne } from './token.ts'

/**
 * Refuses to read a custom setting, such as `app.jwt_secret`. The name must be a plain string literal, because
 * a computed name could be any name.
 */
export function refuseSetting(
  { sql, tokens }: Pick<StatementReading, 'sql' | 'tokens'>,
  { readableSettings, settingFunction }: Rules,
): string | undefined {
  if (readableSettings === undefined) return undefined
  const isPlain = (name: string) => readableSettings.test(name)
  const shown = tokens.findIndex((it) => !isOne(it, '('))
  if (isOne(tokens[shown], 'show')) {
    const name = tokens.slice(shown + 1).filter(({ kind }) => kind !== 'end')
    if (!isPlain(name.map(({ value }) => value).join(name.some(isDot) ? '' : ' '))) return REFUSED
  }
  const refused = tokens.some((token, i) => {
    const isCall = isName(token) && isOne(tokens[i + 1], '(')
    if (!isCall || !matches(settingFunction, token.value)) return false
    const [name, after] = [tokens[i + 2], tokens[i + 3]]
    const literal = name?.kind === 'text' ? LITERAL.exec(sql.slice(name.start, name.end)) : null
    const text = literal?.[1] ?? literal?.[3]
    return !text || !isPlain(text) || !isOne(after, ',', ')')
  })
  return refused ? REFUSED : undefined
}

/** A string without escapes, or in dollar quotes. */
const LITERAL = /^(?:'(.*)'|(\$\w*\$)(.*)\2)$/

const isDot = ({ value }: { readonly value: string }) => value === '.'

const REFUSED =
  "Custom settings are not allowed here because they can contain secrets. Write the name of a built-in setting as a string: current_setting('server_version')."
