import * as z from 'zod/mini'

/** The name of a table or a column. */
const name = () => z.string().check(z.minLength(1), z.maxLength(300))

/** A table for `search` and `fetch`. It needs a primary key. */
export const searchConfig = () =>
  z.strictObject({
    /** The database of the table. Only needed if the endpoint has several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    table: name(),
    /** The column that is the title of a row. */
    title: name(),
    /** The columns that are searched. */
    text: z.array(name()).check(z.minLength(1), z.maxLength(10)),
    /**
     * The address of a row for a person, with columns in braces:
     * `https://shop.example.com/product/{id}`. Without it, rows have a page in this deployment.
     */
    url: z.optional(
      z.string().check(z.maxLength(2_000), z.regex(/^https:\/\//, 'must begin with https://')),
    ),
  })

export type SearchConfig = z.infer<ReturnType<typeof searchConfig>>
