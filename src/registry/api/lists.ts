import * as z from 'zod/mini'
import type { Written } from '../registry-state.ts'
import { ApiFault } from './fault.ts'

/** A moment, as the API writes it. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a time, such as "2027-01-31T00:00:00Z"',
})

/** What every list takes. */
export const pageQuery = z.strictObject({
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50),
  cursor: z.optional(z.string().check(z.regex(/^\.?[\w-]{1,40}$/, 'is not from a list'))),
})

/** A list of what is about endpoints takes this, too. */
export const filterQuery = z.extend(pageQuery, {
  /** Only what is about this endpoint. */
  endpoint: z.optional(z.string().check(z.maxLength(31))),
  /** Only what has this text in its name. Upper and lower case of ASCII letters count as equal. */
  search: z.optional(z.string().check(z.maxLength(200))),
})

/** What a change takes. */
export const changeQuery = z.strictObject({
  /** Changes it only if nobody did so since then: the `changedAt` that was read. Else it is a 409. */
  unchangedSince: z.optional(moment),
})

/** Throws if an entry was changed since the moment that a sender knows. */
export function assertUnchanged(
  { changedAt }: { readonly changedAt: number },
  { unchangedSince }: z.infer<typeof changeQuery>,
  what: string,
): void {
  if (unchangedSince === undefined || Date.parse(unchangedSince) === changedAt) return
  assertWritten('changed', what)
}

/** What every list has besides its entries. */
export const pageFields = {
  /** How many entries there are on all pages. */
  total: z.int(),
  /** Give it as `cursor` to get the next page. The last page has none. */
  next: z.optional(z.string()),
}

/** The name of a schema in the document of the API. */
export const named = <Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema => {
  z.globalRegistry.add(schema, { id })
  return schema
}

export const written = (at: number): string => new Date(at).toISOString()

/** Throws what a change that was not made means to its sender. */
export function assertWritten(outcome: Written | undefined, what: string): void {
  if (outcome === 'done') return
  if (outcome === 'exists') throw new ApiFault(409, `${what} is already there. PATCH changes it.`)
  if (outcome === 'missing') throw new ApiFault(404, `${what} is not there.`)
  if (outcome === 'full') throw new ApiFault(507, 'The registry is full. Delete what is not used.')
  if (outcome === 'taken') {
    throw new ApiFault(409, `A credential of ${what} has the id of another one.`)
  }
  throw new ApiFault(
    409,
    `${what} was changed by somebody else meanwhile. Read it, and send your change again.`,
  )
}
