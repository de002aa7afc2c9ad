// Shows what a change does to an entry, without the secrets that were in it.
import { plain } from '../table.mjs'

const HIDDEN = '(hidden)'

/** The lines of both values, those that go with "-" and those that come with "+". */
export function difference(was, becomes) {
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

const linesOf = (value) => (value === undefined ? [] : JSON.stringify(value, null, 2).split('\n'))

/** A value that somebody else may have written, without what may be secret. */
export function shown(value, isSecret = false) {
  if (typeof value === 'string') return shownText(value, isSecret)
  if (Array.isArray(value)) return value.map((it) => shown(it, isSecret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key,
      shown(it, isSecret || /^(?:env|environment|headers|http_headers)$/.test(key)),
    ]),
  )
}

function shownText(text, isSecret) {
  const namesVariable = /^(?:Bearer )?(?:\$\{[\w:.-]+\}|\$\w+|\{env:\w+\})$/.test(text)
  if (isSecret && !namesVariable) return HIDDEN
  return /:\/\/[^/]*@|bearer |[?&]\w*(?:key|token|pass|secret)\w*=|\btg_/i.test(text) &&
    !namesVariable
    ? HIDDEN
    : text
}
