import * as z from 'zod/mini'

/** Questions that an endpoint may have. Each one is planned again while the endpoint is in use. */
const MAX_QUESTIONS = 50

/**
 * Characters of all examples together. They stand in the description of `query`, of which hosts read 1,024
 * characters, and every conversation pays for them.
 */
const MAX_EXAMPLE_CHARS = 640

/** No control character, nothing that ends a line, and no override of the direction. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u

/** What people may write, and a person: `by` and `at` are set by whoever stores the question. */
export const questionFields = () => ({
  name: z
    .string()
    .check(
      z.regex(
        /^[a-z][a-z0-9_]{0,29}$/,
        'must be lower case and at most 30 characters, such as "revenue_by_country"',
      ),
    ),
  question: z
    .string()
    .check(
      z.minLength(3),
      z.maxLength(300),
      z.regex(LINE, 'must be one line of text, whose direction nothing turns around'),
      z.regex(/\S/, 'must not be blank'),
    ),
  /** The database to ask. Only needed if the endpoint has several. */
  database: z.optional(z.string().check(z.maxLength(31))),
  sql: z.string().check(z.minLength(1), z.maxLength(20_000)),
  /** The values of `$1`, `$2`, … in the statement. */
  params: z.optional(
    z
      .array(z.union([z.string().check(z.maxLength(1_000)), z.number(), z.boolean(), z.null()]))
      .check(z.maxLength(100)),
  ),
  /** Whether the model has it as a tool, or reads it in the description of `query`. */
  as: z.enum(['tool', 'example']),
})

/** Who checked it, and when. */
export const questionSignature = () => ({
  by: z
    .string()
    .check(z.minLength(1), z.maxLength(200), z.regex(/^[^\p{Cc}]*$/u, 'must be one line')),
  at: z.iso.datetime({ offset: true, error: 'must be a time, such as "2027-01-31T00:00:00Z"' }),
})

/** A question, and the statement that answers it: a person has checked that it does. */
const verifiedQuestion = () => z.strictObject({ ...questionFields(), ...questionSignature() })

export type VerifiedQuestion = z.infer<ReturnType<typeof verifiedQuestion>>

/** The verified questions of an endpoint. */
export const verifiedQuestions = () => boundedQuestions(verifiedQuestion())

/** A list of questions within the bounds of an endpoint. */
export const boundedQuestions = <
  Question extends z.ZodMiniType<Example & { readonly name: string; readonly as: string }>,
>(
  question: Question,
) =>
  z.array(question).check(
    z.maxLength(MAX_QUESTIONS),
    z.refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: 'has two questions of the same name',
    }),
    z.refine((all) => exampleChars(all) <= MAX_EXAMPLE_CHARS, {
      error: `has examples of more than ${MAX_EXAMPLE_CHARS} characters together: the description of query has room for no more. Serve some of them as tools`,
    }),
  )

interface Example {
  readonly question: string
  readonly database?: string | undefined
  readonly sql: string
  readonly params?: readonly unknown[] | undefined
}

const exampleChars = (all: readonly (Example & { readonly as: string })[]): number =>
  all.reduce((sum, it) => sum + (it.as === 'example' ? exampleText(it).length + 1 : 0), 0)

/** An example as the model reads it. */
export const exampleText = ({ question, sql, params, database }: Example): string =>
  [
    question + (database === undefined ? '' : ` (${database})`),
    sql.trim() + (params?.length ? ` params ${JSON.stringify(params)}` : ''),
  ].join('\n')
