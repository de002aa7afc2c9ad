import { words } from '../words.ts'
import { isOne, type Token } from './token.ts'

/** Words in a statement that can only be names, by position, with the reason they are names. */
export type Labels = ReadonlyMap<number, 'dot' | 'as'>

/**
 * Finds words after a dot or AS: they name a column, a table or a type, even if they are keywords. An AS
 * after a dot, after `@` or after another AS is itself a name, so the word after it is a keyword again: `on
 * t.as group by 1`, `select 1 as as from t`.
 */
export function labelsIn(tokens: readonly Token[]): Labels {
  const found = new Map<number, 'dot' | 'as'>()
  for (const [i, { kind, value }] of tokens.entries()) {
    if (kind !== 'word') continue
    const before = tokens[i - 1]
    if (isOne(before, '.') || (value === 'as' && isOne(before, '@'))) found.set(i, 'dot')
    else if (isOne(before, 'as') && !found.has(i - 1)) found.set(i, 'as')
  }
  return found
}

/** True if this token is called `as`: in quotes, after a dot or an AS, or where no value comes before it. */
export function namesAs(tokens: readonly Token[], i: number, labels: Labels): boolean {
  const { kind, value } = tokens[i]!
  if (value !== 'as') return false
  if (kind === 'name') return true
  if (kind !== 'word') return false
  const before = tokens[i - 1]
  return labels.has(i) || before === undefined || !endsValue(before)
}

/** True if a value or a relation can end with this token, so that its alias can follow. */
const endsValue = (token: Token): boolean =>
  token.kind === 'word'
    ? !BEFORE_VALUES.has(token.value)
    : ['name', 'text', 'number'].includes(token.kind) || isOne(token, ')', ']', '}')

/** Words that are followed by a value. */
const BEFORE_VALUES = new Set(
  words(
    'select distinct all with from join using on where prewhere group by having qualify order limit',
    'offset and or not when then else case like ilike between in settings format union except',
    'intersect interval div mod top',
  ),
)
