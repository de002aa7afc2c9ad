import * as z from 'zod/mini'
import { findTable, operators, select } from '../../database/index.ts'
import { databaseTool } from '../database-tool.ts'
import { answer, answerOf } from '../rows.ts'

const value = z.union([z.string(), z.number(), z.boolean()])

export const queryTable = databaseTool({
  name: 'query_table',
  title: 'Query one table',
  description:
    'Read rows of one table or view without writing SQL. For joins and aggregates use query.',
  input: z.strictObject({
    table: z.string().check(z.describe('As list_tables names it.')),
    columns: z.optional(z.array(z.string()).check(z.describe('All of them if left out.'))),
    where: z.optional(
      z
        .array(
          z.strictObject({
            column: z.string(),
            op: z.enum(operators),
            value: z.optional(z.union([value, z.array(value)])),
          }),
        )
        .check(
          z.describe(
            'All must hold. in, not_in and between take a list as value; contains looks for a literal part.',
          ),
        ),
    ),
    orderBy: z.optional(
      z.array(z.object({ column: z.string(), direction: z.optional(z.enum(['asc', 'desc'])) })),
    ),
    limit: z.optional(z.int().check(z.gte(1))),
    offset: z.optional(z.int().check(z.gte(0))),
  }),
  output: answer,
  async run({ table: name, limit, ...asked }, { database, caps, limits }) {
    const table = await findTable(database, name, limits)
    // Without a limit of its own, or with one past the cap, the cap cuts and says so.
    const rows = limit === undefined || limit > caps.rows ? caps.rows + 1 : limit
    const statement = select(database.dialect, { ...asked, table, limit: rows })
    return answerOf(await database.query(statement, limits), caps)
  },
})
