import type * as z from 'zod/mini'
import { fieldFaults } from '../../gateway/index.ts'
import { pause } from '../../ground/index.ts'
import { apiCodes } from './api-codes.ts'

/** Reason an API request failed, for the client. Contains no secret. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault'
  readonly status: keyof typeof apiCodes
  /** The path of the invalid field, such as `databases.shop.url`. */
  readonly field: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: keyof typeof apiCodes,
    message: string,
    { field, headers = {} }: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.field = field
    this.headers = headers
  }
}

/** A response from the API. Caches must not store it. */
export const answer = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } })

/** The response after something was removed. */
export const nothing = (): Response =>
  new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })

/** The response to a failed request. */
export function faultAnswer({ status, message, field, headers }: ApiFault): Response {
  const error = { code: apiCodes[status], message, ...(field && { field }) }
  return answer({ error }, status, headers)
}

/** Parses a value with its schema. Throws {@link ApiFault} with the invalid field. */
export function checked<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { field, sentence } = fieldFaults(parsed.error, value)
  throw new ApiFault(422, sentence, { field })
}

/** Number of entries checked at once, and maximum number of entries in a list. */
const PIECE = 100
const MAX_ENTRIES = 50_000

/**
 * The same for a value with long lists. They are checked in pieces, and other requests are answered in between. A
 * list's schema must not compare entries with each other.
 */
export async function checkedInPieces<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  names: readonly string[],
): Promise<z.infer<Schema>> {
  const lists = names.map((name) => [name, listOf(value, name)] as const)
  const empty = Object.fromEntries(lists.flatMap(([name, list]) => (list ? [[name, []]] : [])))
  const rest = { ...(value as object), ...empty }
  const isShort = lists.every(([, list]) => !list || list.length <= PIECE)
  // A value that is not a list, or is too long, gets the usual error.
  if (isShort || lists.some(([, list]) => !list || list.length > MAX_ENTRIES))
    return checked(schema, value)
  const all = checked(schema, rest) as Record<string, unknown>
  for (const [name, list = []] of lists) {
    const entries: unknown[] = []
    for (let at = 0; at < list.length; at += PIECE) {
      const piece = checkedPiece(schema, { ...rest, [name]: list.slice(at, at + PIECE) }, name, at)
      entries.push(...(piece as Record<string, unknown[]>)[name]!)
      await pause(0)
    }
    all[name] = entries
  }
  return all as z.infer<Schema>
}

/** Checks a piece of a list that starts at this entry. */
function checkedPiece(schema: z.ZodMiniType, value: unknown, name: string, at: number): unknown {
  try {
    return checked(schema, value)
  } catch (error) {
    if (!(error instanceof ApiFault) || error.field === undefined) throw error
    const renumbered = (text: string) => {
      if (!text.startsWith(`${name}[`)) return text
      const end = text.indexOf(']')
      const i = Number(text.slice(name.length + 1, end))
      return `${name}[${i + at}${text.slice(end)}`
    }
    throw new ApiFault(error.status, renumbered(error.message), { field: renumbered(error.field) })
  }
}

const listOf = (value: unknown, name: string): readonly unknown[] | undefined => {
  const list = (value as Record<string, unknown> | null)?.[name]
  return Array.isArray(list) ? list : undefined
}

/** A fault for an invalid field. The message starts with the field's path. */
export const wrongField = (field: string, what: string): ApiFault =>
  new ApiFault(422, `${field} ${what}`, { field })
