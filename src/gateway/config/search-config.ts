import * as z from 'zod/mini'

/** The name of a table or a column. */
const name = () => z.string().check(z.minLength(1), z.maxLength(300))

/** A table for `search` and `fetch`. It needs a primary key. */
export const searchConfig = () =>
  z.strictObject({
    /** The table's database. Only needed if the endpoint has several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    table: name(),
    /** The column with a row's title. */
    title: name(),
    /** The columns that are searched. */
    text: z.array(name()).check(z.minLength(1), z.maxLength(10)),
    /** A row's address, with columns in braces: `https://shop.example.com/product/{id}`. By default, a page here. */
    url: z.optional(
      z.string().check(z.maxLength(2_000), z.regex(/^https:\/\//, 'must begin with https://')),
    ),
  })

export type SearchConfig = z.infer<ReturnType<typeof searchConfig>>
