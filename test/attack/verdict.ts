import type { Argument } from '../support/attacks.ts'
import type { ToolResult } from './place.ts'

/** The problem with an answer, as a sentence; undefined if there is none. */
export type Verdict = string | undefined

/** Matches signs of a stack trace, of a value that is not text, and of an internal error. No answer may have them. */
const DULL =
  /\n\s+at |\[object |\bundefined\b|node_modules|\bfor a reason that was logged\b|Internal error/

const textOf = ({ content }: ToolResult) => content?.map(({ text }) => text ?? '').join('\n') ?? ''

/** The problem with an error that explains nothing, or contains something secret or internal. */
function unclear(result: ToolResult, secrets: readonly string[]): Verdict {
  const text = textOf(result)
  if (secrets.some((it) => JSON.stringify(result).includes(it))) return 'it holds a secret'
  if (DULL.test(text)) return `it says "${text.slice(0, 200)}"`
  return /\w+\W+\w+/.test(text) ? undefined : `it only says "${text}"`
}

/** For a statement that must not run: a clear error, or for an expensive one an answer that a cap truncated. */
export function ofAttack(
  result: ToolResult,
  expected: string,
  endless: boolean,
  secrets: readonly string[],
): Verdict {
  if (result.isError) return unclear(result, secrets)
  const cut = endless && result.structuredContent?.truncated === true
  return expected === 'no_effect' || cut ? undefined : 'it was answered with rows'
}

/** For a statement that only reads: rows, or an error about the limits of the demo if they apply. */
export function ofBenign(result: ToolResult, isBounded = false): Verdict {
  const text = textOf(result).slice(0, 300)
  if (!isBounded) return result.isError ? text : undefined
  return result.isError && /\bdemo\b/.test(text) ? undefined : `not refused by a bound: ${text}`
}

/** For a name or a pattern: nothing, the exact table, or only listed tables. */
export function ofName(
  result: ToolResult,
  { arg, value }: Argument,
  tables: readonly string[],
  secrets: readonly string[],
): Verdict {
  if (result.isError) return unclear(result, secrets)
  const { name, tables: listed } = result.structuredContent ?? {}
  const found: string[] = listed?.map((it: { name: string }) => it.name) ?? (name ? [name] : [])
  const strange = found.find((it) => !tables.includes(it))
  if (strange !== undefined) return `it shows ${strange}`
  const exact = arg === 'pattern' || tables.some((it) => value.toLowerCase().endsWith(it))
  return exact ? undefined : 'it was answered, and names no table'
}
