import type { Joining } from '../dialect.ts'
import type { Cell } from '../rows.ts'
import { withLaterPlaces } from '../schema/joined-rows.ts'

/**
 * Joins questions as the columns of one row, each the list of its rows. As tuples, the values keep their
 * types. Rows of several questions could only be told apart as texts.
 */
export const joining: Joining = {
  of: (questions, maxRows) => ({
    sql: `select ${withLaterPlaces(questions)
      .map((sql) => `(select groupArray(tuple(*)) from (${sql}\nlimit ${maxRows}))`)
      .join(',\n')}`,
    params: questions.flatMap(({ params = [] }) => params),
  }),
  read: ([lists = []]) =>
    // Current versions name the elements of a tuple.
    lists.map((list) => (list as readonly (readonly Cell[])[]).map((row) => Object.values(row))),
}
