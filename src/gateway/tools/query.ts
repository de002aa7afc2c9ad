import * as z from 'zod/mini'
import { rowsSchema } from '../answer/answer.ts'
import { databaseTool } from './database-tool.ts'
import { runQuery } from './run-query.ts'

const param = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** A statement, with the values of its placeholders. */
const statement = z.strictObject({ sql: z.string(), params: z.optional(z.array(param)) })

export const query = databaseTool({
  name: 'query',
  title: 'Query',
  description:
    "ONE read-only statement (SELECT, WITH, VALUES) in the database's dialect. params are $1, $2, …; long numbers as strings. Answers are small: aggregate and filter in SQL.",
  author: 'model',
  input: statement,
  output: rowsSchema,
  run: runQuery,
})
