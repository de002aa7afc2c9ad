import type { Joining } from '../dialect.ts'
import type { Cell, Statement } from '../rows.ts'
import { readJson } from '../transport/exact-json.ts'

/**
 * Joins questions with UNION ALL. Each row of the answer has the number of its question and that question's
 * cells as JSON.
 *
 * @param jsonArray the function that makes a JSON array from its arguments
 */
export const joinedRows = (jsonArray: string): Joining => ({
  of(questions, maxRows) {
    const names = questions.map(({ shape }) =>
      Array.from({ length: shape!.width }, (_, i) => `c${i}`),
    )
    const asked = withLaterPlaces(questions).map(
      (sql, n) => `q${n} (${names[n]}) as (${sql}\nlimit ${maxRows})`,
    )
    // Engines can ignore the order of a subquery.
    const answered = questions.map(
      ({ shape }, n) => `select ${n} as question,
        row_number() over (order by ${shape!.order.map((i) => `c${i}`)}) as place,
        ${jsonArray}(${names[n]}) as cells from q${n}`,
    )
    return {
      sql: `with ${asked.join(',\n')}\n${answered.join('\nunion all\n')}\norder by question, place`,
      params: questions.flatMap(({ params = [] }) => params),
    }
  },
  read(rows, count) {
    const found = Array.from({ length: count }, (): (readonly Cell[])[] => [])
    for (const [question, , cells] of rows) {
      const row = typeof cells === 'string' ? readJson(cells) : cells
      found[Number(question)]!.push(row as readonly Cell[])
    }
    return found
  },
})

/** The SQL for each question. Placeholder numbers continue from one question to the next. */
export function withLaterPlaces(questions: readonly Statement[]): readonly string[] {
  let before = 0
  return questions.map(({ sql, params = [] }) => {
    const shift = before
    before += params.length
    // Nothing else in a question to the catalog looks like a placeholder.
    return sql.replace(/(\$|\?|\{p)(\d+)/g, (_, sign, n) => `${sign}${Number(n) + shift}`)
  })
}
