import * as z from 'zod/mini'
import type { RowPage, WriteResult } from '../state/rows.ts'
import { ApiFault, answer } from './fault.ts'

/** A time in the API's format. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a time, such as "2027-01-31T00:00:00Z"',
})

/** A string of at most this many characters. */
export const upTo = (most: number) => z.string().check(z.maxLength(most))

/** The same, but not empty. */
export const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))

/** The number of entries on a page, as a query parameter. */
export const limited = (most: number, usual: number) =>
  z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(most)), usual)

/** Query parameters for every list. */
export const pageQuery = z.strictObject({
  limit: limited(200, 50),
  cursor: z.optional(z.string().check(z.regex(/^\.?[\w-]{1,40}$/, 'is not from a list'))),
})

/** Additional query parameters for lists about endpoints. */
export const filterQuery = z.extend(pageQuery, {
  /** Only entries about this endpoint. */
  endpoint: z.optional(upTo(31)),
  /** Only entries with this text in the name. The case of ASCII letters does not matter. */
  search: z.optional(upTo(200)),
})

/** Query parameters for a change. */
export const changeQuery = z.strictObject({
  /** The `changedAt` that was read. If the entry was changed since then, the status is 409 and nothing is changed. */
  unchangedSince: z.optional(moment),
})

/** Throws if an entry was changed after the time that the client sent. */
export function assertUnchanged(
  { changedAt }: { readonly changedAt: number },
  { unchangedSince }: z.infer<typeof changeQuery>,
  what: string,
): void {
  if (unchangedSince === undefined || Date.parse(unchangedSince) === changedAt) return
  assertWritten('changed', what)
}

/** The time of a change, which is later than the time of the previous change. */
export const changeTime = (was: { readonly changedAt: number } | undefined): number =>
  Math.max(Date.now(), (was?.changedAt ?? 0) + 1)

/** A page of the list with this name. */
export const pageOf = (name: string, entry: z.ZodMiniType) =>
  z.object({
    [name]: z.array(entry),
    /** Number of entries on all pages. */
    total: z.int(),
    /** Pass it as `cursor` to get the next page. The last page does not have it. */
    next: z.optional(z.string()),
  })

/** The response with a page. */
export const answerPage = <Entry>(
  name: string,
  { entries, total, next }: RowPage<Entry>,
  shown: (entry: Entry) => object,
): Response => answer({ [name]: entries.map(shown), total, next })

/** Registers the name of a schema in the OpenAPI document. */
export const named = <Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema => {
  z.globalRegistry.add(schema, { id })
  return schema
}

export const written = (at: number): string => new Date(at).toISOString()

/** Throws an {@link ApiFault} if a change was not made. */
export function assertWritten(outcome: WriteResult, what: string): void {
  if (outcome === 'done') return
  if (outcome === 'missing') throw new ApiFault(404, `${what} does not exist.`)
  if (outcome === 'full') throw new ApiFault(507, 'The registry is full. Delete unused entries.')
  const conflicts = {
    exists: `${what} already exists. Use PATCH to change it.`,
    taken: `A credential in ${what} has the id of another one.`,
    changed: `${what} was changed by someone else in the meantime. Read it, and send your change again.`,
  }
  throw new ApiFault(409, conflicts[outcome])
}
