import * as z from 'zod/mini'
import { explain } from '../../database/index.ts'
import { itemsThatFit, listSchema } from '../answer/answer.ts'
import { databaseTool } from './database-tool.ts'

// A shorter schema than in query, to save tokens. The tool also accepts numbers and booleans.
const param = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .register(z.globalRegistry, { type: 'string', anyOf: undefined })

/** Maximum number of lines in a plan. Deeper lines mean little without the lines above them. */
const MAX_SUMMARY_LINES = 30
const MAX_LINE_CHARS = 300

export const explainQuery = databaseTool({
  name: 'explain_query',
  title: 'Explain a query',
  description: 'How the database would run a statement: its plan, without running it.',
  author: 'model',
  input: z.strictObject({ sql: z.string(), params: z.optional(z.array(param)) }),
  output: listSchema('summary'),
  async run(statement, { database, caps, limits }) {
    const { summary, plan, estimate } = await explain(database, statement, limits, true)
    const lines = summary.slice(0, MAX_SUMMARY_LINES).map((it) => it.slice(0, MAX_LINE_CHARS))
    const shown = lines.slice(0, itemsThatFit(lines, caps.bytes / 2))
    const raw = itemsThatFit([shown, plan], caps.bytes) === 2
    return {
      summary: shown,
      estimatedCost: estimate?.plan,
      estimatedRows: estimate?.rows,
      limits: caps.cost && { cost: caps.cost.plan, rows: caps.cost.rows },
      ...(raw && { plan }),
      ...((!raw || shown.length < summary.length) && {
        hint: 'The plan is too long for an answer: explain a part of the statement.',
      }),
    }
  },
})
