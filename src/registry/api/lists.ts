import * as z from 'zod/mini'
import type { Written } from '../registry-state.ts'
import { ApiFault } from './fault.ts'

/** What every list takes. */
export const pageQuery = z.strictObject({
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50),
  cursor: z.optional(z.string().check(z.regex(/^\.?[\w-]{1,40}$/, 'is not from a list'))),
})

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

/** A moment, as the API writes it. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a time, such as "2027-01-31T00:00:00Z"',
})

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
  throw new ApiFault(409, `${what} was changed by somebody else meanwhile. Send it again.`)
}
