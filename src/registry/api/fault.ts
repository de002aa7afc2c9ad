import type * as z from 'zod/mini'
import { fieldFaults } from '../../gateway/index.ts'

/** Why a request to the API was not carried out, for its sender to read. Holds no secret. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault'
  readonly status: keyof typeof codes
  /** The path of the field that is wrong: `databases.shop.url`. */
  readonly field: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: keyof typeof codes,
    message: string,
    { field, headers = {} }: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.field = field
    this.headers = headers
  }
}

/** What each status is called in the body of an error. */
const codes = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid',
  500: 'internal',
  503: 'not_ready',
  507: 'full',
} as const

/** The answer of the API. Nothing of it is kept by a cache. */
export const answer = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } })

/** The answer to a request that was not carried out. */
export function faultAnswer({ status, message, field, headers }: ApiFault): Response {
  const error = { code: codes[status], message, ...(field && { field }) }
  return answer({ error }, status, headers)
}

/** A value that its schema allows. Throws {@link ApiFault} with the field that is wrong. */
export function checked<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { field, sentence } = fieldFaults(parsed.error, value)
  throw new ApiFault(422, sentence, { field })
}

/** A field that is wrong, in a sentence that begins with its path. */
export const wrongField = (field: string, what: string): ApiFault =>
  new ApiFault(422, `${field} ${what}`, { field })
