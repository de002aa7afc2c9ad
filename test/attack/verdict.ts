import type { Argument } from '../support/attacks.ts'
import type { ToolResult } from './place.ts'

/** What is wrong with an answer, as a sentence; nothing if all is well. */
export type Verdict = string | undefined

/** What must stand in no answer: the marks of a stack, of a value that was no text, of an internal failure. */
const DULL =
  /\n\s+at |\[object |\bundefined\b|node_modules|\bfor a reason that was logged\b|Internal error/

const textOf = ({ content }: ToolResult) => content?.map(({ text }) => text ?? '').join('\n') ?? ''

/** Whether an error tells its reader what is wrong, and nothing that is not for them. */
function unclear(result: ToolResult, secrets: readonly string[]): Verdict {
  const text = textOf(result)
  if (secrets.some((it) => JSON.stringify(result).includes(it))) return 'it holds a secret'
  if (DULL.test(text)) return `it says "${text.slice(0, 200)}"`
  return /\w+\W+\w+/.test(text) ? undefined : `it only says "${text}"`
}

/** Of a statement that must not run: a clear error, or for a costly one an answer that a cap cut. */
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

/** Of a statement that only reads: rows, or a sentence about the bounds of the demo where it is bounded. */
export function ofBenign(result: ToolResult, isBounded = false): Verdict {
  const text = textOf(result).slice(0, 300)
  if (!isBounded) return result.isError ? text : undefined
  return result.isError && /\bdemo\b/.test(text) ? undefined : `not refused by a bound: ${text}`
}

/** Of a name or a pattern: nothing is found, or the very table, or only tables that everybody sees. */
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
