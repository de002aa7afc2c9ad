import * as z from 'zod/mini'
import { explain } from '../../database/index.ts'
import { fitting, listOf } from '../answer.ts'
import { databaseTool } from '../database-tool.ts'

// Written as text alone, in fewer words than query has for the same.
const param = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .register(z.globalRegistry, { type: 'string', anyOf: undefined })

/** Lines of a summary: what is deeper in a plan tells little without what is above it. */
const LINES = 30

export const explainQuery = databaseTool({
  name: 'explain_query',
  title: 'Explain a query',
  description: 'How the database would run a statement: its plan, without running it.',
  takesSql: true,
  input: z.strictObject({ sql: z.string(), params: z.optional(z.array(param)) }),
  output: listOf('summary'),
  async run(asked, { database, caps, limits }) {
    const { summary, plan } = await explain(database, asked, limits)
    const lines = summary.slice(0, LINES).map((it) => it.slice(0, 300))
    const shown = lines.slice(0, fitting(lines, caps.bytes / 2))
    const raw = fitting([shown, plan], caps.bytes) === 2
    return {
      summary: shown,
      ...(raw && { plan }),
      ...((!raw || shown.length < summary.length) && {
        hint: 'The plan is longer than an answer.',
      }),
    }
  },
})
