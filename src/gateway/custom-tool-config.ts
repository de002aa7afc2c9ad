import * as z from 'zod/mini'

const name = () =>
  z
    .string()
    .check(
      z.regex(
        /^[a-z][a-z0-9_]{0,29}$/,
        'must be lower case and at most 30 characters, such as "order_total"',
      ),
    )
const text = () => z.string().check(z.maxLength(1_000))
const number = () => z.union([z.number(), text()])

/** A value that the model gives: what it may be is checked before anything is asked. */
const given = () =>
  z.strictObject({
    name: name(),
    /** A date is written `2026-01-31`. An id past 2^53 is a string. */
    type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
    description: z.optional(z.string().check(z.maxLength(300))),
    /** The only values there are. */
    values: z.optional(
      z.array(z.union([text(), z.number()])).check(z.minLength(1), z.maxLength(500)),
    ),
    /** The least and the most there are, of a number or of a date. */
    min: z.optional(number()),
    max: z.optional(number()),
    /** What it is if it is left out. Without one, it may not be. */
    default: z.optional(z.union([text(), z.number(), z.boolean()])),
  })

/** A value that comes with the caller's access: the model neither sees it nor sets it. */
const claimed = () =>
  z.strictObject({ name: name(), claim: z.string().check(z.minLength(1), z.maxLength(200)) })

/**
 * A statement of the operator's own as a tool. Its parameters stand for `$1`, `$2`, … in their order.
 */
export const curated = () =>
  z.strictObject({
    name: name(),
    title: z.optional(z.string().check(z.maxLength(80))),
    // Hosts take 1,024 characters, and every tool says one sentence more.
    description: z.string().check(z.minLength(10), z.maxLength(900)),
    /** Which of the endpoint's databases, if there are several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    sql: z.string().check(z.minLength(1), z.maxLength(100_000)),
    params: z._default(z.array(z.union([given(), claimed()])).check(z.maxLength(100)), []),
  })

export type Curated = z.infer<ReturnType<typeof curated>>
export type Given = z.infer<ReturnType<typeof given>>
export type Claimed = z.infer<ReturnType<typeof claimed>>
