import * as z from 'zod/mini'
import { findSource, operators, selectStatement } from '../../database/index.ts'
import { answerOf, rowsSchema } from '../answer/answer.ts'
import { handleOf } from '../answer/kept-results.ts'
import { atMost, databaseTool, withoutAdditionalProperties } from './database-tool.ts'
import { runQuery } from './run-query.ts'

// To save tokens, the schema says string, which fits every column. Numbers and booleans also work.
const scalarSchema = z
  .union([z.string(), z.number(), z.boolean()])
  .register(z.globalRegistry, { type: 'string', anyOf: undefined })

/** The name of a table with its schema, or of a column, perhaps in an aggregate. */
const name = z.string().check(atMost(1_000, 'characters'))
const names = z.array(name).check(atMost(500, 'names'))

const count = z.int().check(z.refine((n) => n >= 0, { error: 'must not be negative' }))

export const queryTable = databaseTool({
  name: 'query_table',
  title: 'Query one table',
  description: 'Rows or aggregates of one table, without SQL. For joins use query.',
  input: z.strictObject({
    table: name,
    columns: z.optional(names.check(z.describe('With aggregates: to group by.'))),
    aggregates: z.optional(names.check(z.describe('"count(*)", "sum(x)", avg, min, max'))),
    where: z.optional(
      z
        .array(
          withoutAdditionalProperties(
            z.strictObject({
              column: name,
              op: z.enum(operators),
              value: z.optional(z.union([scalarSchema, z.array(scalarSchema)])),
            }),
          ),
        )
        .check(atMost(100, 'conditions')),
    ),
    orderBy: z.optional(names.check(z.describe('"x" or "sum(x) desc"'))),
    limit: z.optional(count),
    offset: z.optional(count),
  }),
  output: rowsSchema,
  async run({ table: name, limit, ...selection }, context) {
    const { database, caps, keep, limits, results, caller } = context
    const handle = handleOf(name)
    if (handle && results) {
      const kept = await results.read(handle, caller)
      const { filterKept } = await import('../answer/filter-kept.ts')
      const found = filterKept(kept, { ...selection, limit })
      return answerOf({ ...found, truncated: false, elapsedMs: 0 }, caps)
    }
    const table = await findSource(database, name, limits)
    // At most one more row than the caps, so the answer can say that it was cut.
    const maxRows = Math.max(caps.rows, keep ? keep.rows : 0) + 1
    const rows = Math.min(limit ?? maxRows, maxRows)
    return runQuery(
      selectStatement(database.dialect, { ...selection, table, limit: rows }),
      context,
    )
  },
})
