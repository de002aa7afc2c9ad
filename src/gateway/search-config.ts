import * as z from 'zod/mini'

/** A name as databases have them. */
const name = () => z.string().check(z.minLength(1), z.maxLength(300))

/** A table that `search` looks into, and `fetch` reads rows of. It needs a primary key. */
export const searched = () =>
  z.strictObject({
    /** Which of the endpoint's databases, if there are several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    table: name(),
    /** The column by which a row is called. */
    title: name(),
    /** Columns whose text is looked into. */
    text: z.array(name()).check(z.minLength(1), z.maxLength(10)),
    /**
     * Where a person finds a row, with columns in braces: `https://shop.example.com/product/{id}`.
     * Without it, rows have a page here.
     */
    url: z.optional(
      z.string().check(z.maxLength(2_000), z.regex(/^https:\/\//, 'must begin with https://')),
    ),
  })

export type Searched = z.infer<ReturnType<typeof searched>>
