import type { Context } from './context.ts'

/**
 * Suggests values for an argument that begin with `value`.
 *
 * @param others The arguments that are already filled in.
 */
export type Complete = (
  value: string,
  others: Readonly<Record<string, string>>,
  context: Context,
) => CompletionValues | Promise<CompletionValues>

/** All matching values, or the first of them with the total. */
export type CompletionValues =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total: number }

/** Maximum number of values in one result, from the specification. */
const MAX_VALUES = 100

export async function completionOf(
  complete: Complete | undefined,
  value: string,
  others: Readonly<Record<string, string>>,
  context: Context,
): Promise<{ completion: object }> {
  const found = (await complete?.(value, others, context)) ?? []
  const { values, total } = 'total' in found ? found : { values: found, total: found.length }
  const shown = values.slice(0, MAX_VALUES)
  return { completion: { values: shown, total, hasMore: total > shown.length } }
}
