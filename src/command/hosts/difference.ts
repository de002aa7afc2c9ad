// Shows how a change affects an entry, without the secrets in it.
import { isObject } from '../../ground/index.ts'
import { plain } from '../terminal/table.ts'

const HIDDEN = '(hidden)'

/** Lines of both values: removed ones with "-", and added ones with "+". */
export function difference(was: unknown, becomes: unknown): string[] {
  const before = linesOf(shown(was))
  const after = linesOf(becomes)
  let same = 0
  while (same < before.length && before[same] === after[same]) same++
  let end = 0
  const most = Math.min(before.length, after.length) - same
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++
  return [
    ...before.slice(0, same).map((it) => `  ${it}`),
    ...before.slice(same, before.length - end).map((it) => `- ${it}`),
    ...after.slice(same, after.length - end).map((it) => `+ ${it}`),
    ...after.slice(after.length - end).map((it) => `  ${it}`),
  ].map(plain)
}

const linesOf = (value: unknown): string[] =>
  value === undefined ? [] : JSON.stringify(value, null, 2).split('\n')

/** A value that someone else could have written, without possible secrets. */
export function shown(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return shownText(value, isSecret)
  if (Array.isArray(value)) return value.map((it) => shown(it, isSecret))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key,
      shown(it, isSecret || /^(?:env|environment|headers|http_headers)$/.test(key)),
    ]),
  )
}

function shownText(text: string, isSecret: boolean): string {
  const namesVariable = /^(?:Bearer )?(?:\$\{[\w:.-]+\}|\$\w+|\{env:\w+\})$/.test(text)
  if (isSecret && !namesVariable) return HIDDEN
  return /:\/\/[^/]*@|bearer |[?&]\w*(?:key|token|pass|secret)\w*=|\btg_/i.test(text) &&
    !namesVariable
    ? HIDDEN
    : text
}
