import * as z from 'zod/mini'
import { toolName } from './custom-tool-config.ts'

/** Maximum number of questions in an endpoint. They are planned repeatedly while the endpoint is in use. */
const MAX_QUESTIONS = 50

/** Maximum length of all examples. They are in the description of `query`, and hosts read 1,024 characters of it. */
const MAX_EXAMPLE_CHARS = 640

/** One line of text: no control characters, no line breaks, and no characters that override the text direction. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u

/** The fields that people write. The code that stores the question sets `by` and `at`. */
export const questionFields = () => ({
  name: toolName('revenue_by_country'),
  question: z
    .string()
    .check(
      z.minLength(3),
      z.maxLength(300),
      z.regex(LINE, 'must be one line of text, without characters that change its direction'),
      z.regex(/\S/, 'must not be blank'),
    ),
  /** The database to query. Only needed if the endpoint has several. */
  database: z.optional(z.string().check(z.maxLength(31))),
  sql: z.string().check(z.minLength(1), z.maxLength(20_000)),
  /** The values of `$1`, `$2`, … in the statement. */
  params: z.optional(
    z
      .array(z.union([z.string().check(z.maxLength(1_000)), z.number(), z.boolean(), z.null()]))
      .check(z.maxLength(100)),
  ),
  /** The model gets it as a tool, or reads it in the description of `query`. */
  as: z.enum(['tool', 'example']),
})

/** The person who checked it, and the time. */
export const questionSignature = () => ({
  by: z
    .string()
    .check(z.minLength(1), z.maxLength(200), z.regex(/^[^\p{Cc}]*$/u, 'must be one line')),
  at: z.iso.datetime({ offset: true, error: 'must be a time, such as "2027-01-31T00:00:00Z"' }),
})

/** A question, and the statement that answers it, as checked by a person. */
const verifiedQuestion = () => z.strictObject({ ...questionFields(), ...questionSignature() })

export type VerifiedQuestion = z.infer<ReturnType<typeof verifiedQuestion>>

/** The verified questions of an endpoint. */
export const verifiedQuestions = () => boundedQuestions(verifiedQuestion())

/** A list of questions within an endpoint's limits. */
export const boundedQuestions = <
  Question extends z.ZodMiniType<Example & { readonly name: string; readonly as: string }>,
>(
  question: Question,
) =>
  z.array(question).check(
    z.maxLength(MAX_QUESTIONS),
    z.refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: 'has two questions with the same name',
    }),
    z.refine((all) => exampleChars(all) <= MAX_EXAMPLE_CHARS, {
      error: `has examples with more than ${MAX_EXAMPLE_CHARS} characters in total: the description of query has no room for more. Serve some of them as tools`,
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
