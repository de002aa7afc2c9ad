import * as z from 'zod/mini'
import type { Param } from '../../database/index.ts'
import { type Caller, ToolError } from '../../mcp/index.ts'
import { rowsSchema } from '../answer/answer.ts'
import type { ClaimParam, CustomToolConfig, ModelParam } from '../config/custom-tool-config.ts'
import { databaseTool } from './database-tool.ts'
import { runQuery } from './run-query.ts'

/** Makes a tool from an operator's statement, so a model can run it without writing SQL. */
export function customTool({ name, title, description, sql, params }: CustomToolConfig) {
  const shape = params.filter((it) => 'type' in it).map((it) => [it.name, schemaOf(it)])
  return databaseTool({
    name,
    title: title ?? name.replaceAll('_', ' '),
    description,
    input: z.strictObject(Object.fromEntries(shape)),
    output: rowsSchema,
    author: 'operator',
    async run(input, context) {
      const paramValue = (param: ModelParam | ClaimParam) =>
        'type' in param ? (input[param.name] as Param) : claimOf(param, context.caller)
      return runQuery({ sql, params: params.map(paramValue) }, context)
    },
  })
}

/** A claim of the caller. Without it, the tool refuses the call, because it must not return every caller's rows. */
function claimOf({ claim }: ClaimParam, caller: Caller | undefined): Param {
  const { subject, claims = {} } = caller ?? {}
  const other = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  const value = claim === 'sub' ? subject : other
  if (value !== undefined) return value
  throw new ToolError(
    `Your access to this endpoint does not include "${claim}", which this tool needs. Ask its operator for it.`,
  )
}

function schemaOf(param: ModelParam) {
  const { description, values, default: fallback } = param
  const base: z.ZodMiniType = values ? z.literal(values) : typeOf(param)
  const described = description === undefined ? base : base.check(z.describe(description))
  return fallback === undefined ? described : z._default(described, fallback)
}

function typeOf({ type, min, max }: ModelParam): z.ZodMiniType {
  switch (type) {
    case 'string':
      return z.string()
    case 'boolean':
      return z.boolean()
    case 'date':
      return z.string().check(
        z.regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 2026-01-31'),
        // Dates in this form compare as text.
        z.refine((it) => it >= String(min ?? '') && it <= String(max ?? ':'), {
          error: `must be ${[min && `from ${min}`, max && `to ${max}`].filter(Boolean).join(' ')}`,
        }),
      )
    default: {
      const number = type === 'integer' ? z.int() : z.number()
      const lower = min === undefined ? [] : [z.gte(Number(min))]
      const upper = max === undefined ? [] : [z.lte(Number(max))]
      return number.check(...lower, ...upper)
    }
  }
}
