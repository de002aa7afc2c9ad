import * as z from 'zod/mini'

/** The name of a tool, or of a parameter. */
export const toolName = (example: string) => {
  const error = `must be lower case and at most 30 characters, such as "${example}"`
  return z.string().check(z.regex(/^[a-z][a-z0-9_]{0,29}$/, error))
}
const name = () => toolName('order_total')
const text = () => z.string().check(z.maxLength(1_000))
const number = () => z.union([z.number(), text()])

/** A parameter that the model sets. It is checked before the statement runs. */
const modelParam = () =>
  z.strictObject({
    name: name(),
    /** A date is `2026-01-31`. For ids above 2^53, use a string. */
    type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
    description: z.optional(z.string().check(z.maxLength(300))),
    /** The only values that are allowed. */
    values: z.optional(
      z.array(z.union([text(), z.number()])).check(z.minLength(1), z.maxLength(500)),
    ),
    /** The smallest and the largest value of a number or a date. */
    min: z.optional(number()),
    max: z.optional(number()),
    /** The value if the model does not set one. Without a default, the model has to set a value. */
    default: z.optional(z.union([text(), z.number(), z.boolean()])),
  })

/** A parameter that comes from the caller's credentials. The model neither sees nor sets it. */
const claimParam = () =>
  z.strictObject({ name: name(), claim: z.string().check(z.minLength(1), z.maxLength(200)) })

/** A tool that an operator defines with a statement. Its parameters are `$1`, `$2`, … in order. */
export const customToolConfig = () =>
  z.strictObject({
    name: name(),
    title: z.optional(z.string().check(z.maxLength(80))),
    // Hosts accept 1,024 characters, and a sentence is added to each description.
    description: z.string().check(z.minLength(10), z.maxLength(900)),
    /** The database to query. Only needed if the endpoint has several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    sql: z.string().check(z.minLength(1), z.maxLength(100_000)),
    params: z._default(z.array(z.union([modelParam(), claimParam()])).check(z.maxLength(100)), []),
  })

/** A statement that an operator wrote, and its database, if one is set. */
export type OperatorStatement = Pick<CustomToolConfig, 'name' | 'database'>
export type CustomToolConfig = z.infer<ReturnType<typeof customToolConfig>>
export type ModelParam = z.infer<ReturnType<typeof modelParam>>
export type ClaimParam = z.infer<ReturnType<typeof claimParam>>
