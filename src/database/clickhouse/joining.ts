import type { Joining } from '../dialect.ts'
import type { Cell } from '../rows.ts'
import { withLaterPlaces } from '../schema/joined-rows.ts'

/**
 * Joins queries as the columns of one row. Each column is a list of rows. In tuples, values keep their types. If
 * the rows of several queries were mixed, all values would have to be strings.
 */
export const joining: Joining = {
  of: (questions, maxRows) => ({
    sql: `select ${withLaterPlaces(questions)
      .map((sql) => `(select groupArray(tuple(*)) from (${sql}\nlimit ${maxRows}))`)
      .join(',\n')}`,
    params: questions.flatMap(({ params = [] }) => params),
  }),
  read: ([lists = []]) =>
    // In current versions, the elements in a tuple have names.
    lists.map((list) => (list as readonly (readonly Cell[])[]).map((row) => Object.values(row))),
}
