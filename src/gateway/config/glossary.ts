import * as z from 'zod/mini'

/** Maximum length of a description. `describe_table` shows all of it, and `list_tables` shows its beginning. */
export const MAX_DESCRIPTION_CHARS = 500

/** Maximum number of tables in a glossary, and of columns in a table. */
const MAX_TABLES = 2_000
const MAX_COLUMNS = 1_600

/** Maximum length of all glossaries in an endpoint, as JSON: half of an endpoint's limit in the registry. */
const MAX_GLOSSARY_CHARS = 128 * 1024

/** Maximum number of terms in an endpoint, and maximum length of their JSON. */
const MAX_TERMS = 200
const MAX_TERMS_CHARS = 32 * 1024

const atMost = (max: number, things: string) =>
  z.refine<object>((it) => Object.keys(it).length <= max, {
    error: `must have at most ${max.toLocaleString('en')} ${things}`,
  })

const isText = (it: string) => it.isWellFormed() && !it.includes('\0')

const text = (max: number) =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(max),
      z.refine(isText, { error: 'must be well-formed text' }),
    )

/** Descriptions of tables and columns, by catalog name. They replace the database's own comments. */
export const glossary = () =>
  z
    .record(
      text(520),
      z.strictObject({
        description: z.optional(text(MAX_DESCRIPTION_CHARS)),
        columns: z.optional(
          z.record(text(256), text(MAX_DESCRIPTION_CHARS)).check(atMost(MAX_COLUMNS, 'columns')),
        ),
      }),
    )
    .check(atMost(MAX_TABLES, 'tables'))

/** The vocabulary of the endpoint's users, with the meaning of each word: `"GMV": "the sum of …"`. */
export const terms = () =>
  z.record(text(80), text(MAX_DESCRIPTION_CHARS)).check(
    atMost(MAX_TERMS, 'terms'),
    jsonAtMost(MAX_TERMS_CHARS, 'must have', 'terms', (it) => it),
  )

/** Limits the combined length of the glossaries in an endpoint. */
export const boundedGlossaries = () =>
  jsonAtMost<Readonly<Record<string, { readonly glossary?: unknown }>>>(
    MAX_GLOSSARY_CHARS,
    'must have glossaries of',
    'descriptions',
    (databases) => Object.values(databases).flatMap((it) => it?.glossary ?? []),
  )

/** Limits the length of a part of a value, as JSON. */
function jsonAtMost<Value>(
  max: number,
  must: string,
  things: string,
  partOf: (value: Value) => unknown,
) {
  const charsOf = (value: Value) => JSON.stringify(partOf(value)).length
  return z.refine<Value>((it) => charsOf(it) <= max, {
    error: ({ input }) =>
      `${must} at most ${max.toLocaleString('en')} characters of JSON in total, but has ${charsOf(input as Value).toLocaleString('en')}: shorten or remove ${things}`,
  })
}
