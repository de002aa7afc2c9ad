import type { QueryContext, Rows, Statement, TimeLimits } from '../rows.ts'

/** A catalog's answer to a question. */
export type CatalogAnswer = Pick<Rows, 'rows' | 'truncated'>

/**
 * Makes questions that our own catalog answers, not the database behind it. A caller cannot make one, because
 * a symbol cannot be sent as JSON, and each catalog has its own symbol.
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
    /** The answer to a question made here. Undefined for any other statement. */
    answered: (statement: Statement, limits: QueryContext): Promise<CatalogAnswer> | undefined =>
      (statement as Partial<Question>)[ANSWER]?.(limits),
  }
}
