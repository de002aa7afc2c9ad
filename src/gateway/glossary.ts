import * as z from 'zod/mini'
import { type Database, described, type Glossary } from '../database/index.ts'

/** The longest description. `describe_table` shows it whole, and `list_tables` its beginning. */
export const MAX_DESCRIPTION_CHARS = 500

/** Tables of one glossary, and columns of one table. */
const MAX_TABLES = 2_000
const MAX_COLUMNS = 1_600

/** JSON of all glossaries of an endpoint: half of what an endpoint may have in the registry. */
const MAX_GLOSSARY_CHARS = 128 * 1024

/** Terms of an endpoint, and their JSON. */
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

/**
 * What a person says of tables and columns, by their names in the catalog: `orders`, or `sales.orders`
 * outside the default schema. The model reads it in place of the database's own comments.
 */
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

/** Words of the people who ask, and what they mean here: `"GMV": "the sum of …"`. */
export const terms = () =>
  z.record(text(80), text(MAX_DESCRIPTION_CHARS)).check(
    atMost(MAX_TERMS, 'terms'),
    z.refine((it) => JSON.stringify(it).length <= MAX_TERMS_CHARS, {
      error: ({ input }) => tooLong('must have', input, MAX_TERMS_CHARS, 'terms'),
    }),
  )

/** Bounds the glossaries of all databases of an endpoint together. */
export const boundedGlossaries = () =>
  z.refine<Readonly<Record<string, { readonly glossary?: unknown }>>>(
    (it) => JSON.stringify(glossariesOf(it)).length <= MAX_GLOSSARY_CHARS,
    {
      error: ({ input }) =>
        tooLong(
          'must have glossaries of',
          glossariesOf(input as Parameters<typeof glossariesOf>[0]),
          MAX_GLOSSARY_CHARS,
          'descriptions',
        ),
    },
  )

const glossariesOf = (databases: Readonly<Record<string, { readonly glossary?: unknown }>>) =>
  Object.values(databases).flatMap((it) => it?.glossary ?? [])

const tooLong = (must: string, value: unknown, max: number, things: string) =>
  `${must} at most ${max.toLocaleString('en')} characters of JSON together, and has ${JSON.stringify(value).length.toLocaleString('en')}: shorten or remove ${things}`

/** The same database, with what a person says in place of its own comments. */
export function describedDatabase<
  Given extends unknown[],
  Found extends { open(...given: Given): Promise<Database> },
>(database: Found, words: Glossary | undefined): Found {
  if (!words || Object.keys(words).length === 0) return database
  return {
    ...database,
    open: async (...given: Given) => described(await database.open(...given), words),
  }
}
