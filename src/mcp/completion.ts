import type { Context } from './context.ts'

/**
 * Suggests values for an argument that begins as given.
 *
 * @param others Arguments that are filled in already.
 */
export type Complete = (
  value: string,
  others: Readonly<Record<string, string>>,
  context: Context,
) => readonly string[] | Promise<readonly string[]>

/** The specification allows no more in one answer. */
const MOST = 100

export async function completionOf(
  complete: Complete | undefined,
  value: string,
  others: Readonly<Record<string, string>>,
  context: Context,
): Promise<{ completion: object }> {
  const values = (await complete?.(value, others, context)) ?? []
  return {
    completion: {
      values: values.slice(0, MOST),
      total: values.length,
      hasMore: values.length > MOST,
    },
  }
}
