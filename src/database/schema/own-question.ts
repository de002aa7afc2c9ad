import type { Limits, Rows, Statement, TimeLimits } from '../rows.ts'

/** What a catalog answers to a question. */
export type CatalogAnswer = Pick<Rows, 'rows' | 'truncated'>

/**
 * Makes questions that a catalog of our own answers, and not the database behind it. No text makes one: a
 * symbol is in no JSON, and each catalog has its own.
 */
export function ownQuestions() {
  const ANSWER = Symbol('answer')
  type Question = Statement & { readonly [ANSWER]: (limits: TimeLimits) => Promise<CatalogAnswer> }
  return {
    question(answer: (limits: TimeLimits) => Promise<CatalogAnswer | Rows['rows']>): Statement {
      const ask = async (limits: TimeLimits): Promise<CatalogAnswer> => {
        const found = await answer(limits)
        return 'rows' in found ? found : { rows: found, truncated: false }
      }
      return { sql: '', [ANSWER]: ask } as Question
    },
    /** The answer to a question that was made here; undefined for any other statement. */
    answered: (statement: Statement, limits: Limits): Promise<CatalogAnswer> | undefined =>
      (statement as Partial<Question>)[ANSWER]?.(limits),
  }
}
