import * as z from 'zod/v4/core'
import { type Direction, jsonSchemaOf } from './json-schema.ts'
import { isObject } from './jsonrpc.ts'
import { MAX_SHORT_CHARS, tooMuch } from './limits.ts'

/** A schema written by hand, in JSON Schema 2020-12. Clients get it as it is. */
export interface JsonSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** What a tool takes or returns: a zod object, which is also checked, or JSON Schema, which is not. */
export type Schema = z.$ZodObject | JsonSchema

/** What a handler receives of a schema's values. */
export type Read<S extends Schema> = S extends z.$ZodObject ? z.output<S> : Record<string, unknown>

/** Reads a value by a schema, or says what is wrong with it in words for the model. */
export function read(
  schema: Schema,
  value: unknown,
): { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string } {
  const excess = tooMuch(value)
  if (excess) return { fault: excess }
  if (!(schema instanceof z.$ZodType)) {
    return isObject(value) ? { value } : { fault: 'They are not an object.' }
  }
  const parsed = z.safeParse(schema, value)
  if (parsed.success) return { value: parsed.data }
  // What is wrong with the first few is enough to go on, and may repeat what was sent.
  const { issues } = parsed.error
  return {
    fault: z.prettifyError({ issues: issues.slice(0, MAX_FAULTS) }).slice(0, 2 * MAX_SHORT_CHARS),
  }
}

/** Faults that are told at once. */
const MAX_FAULTS = 10

// Schemas of `zod/mini` have no words for what is wrong with a value, and zod's own for all of them
// weigh as much as a driver.
if (!z.config().localeError) z.config({ localeError: inWords })

function inWords(issue: z.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Invalid input: expected ${issue.expected}`
    case 'invalid_value':
      return `Invalid option: expected one of ${listed(issue.values, '|')}`
    case 'unrecognized_keys': {
      const { inst, keys } = issue
      const known = inst instanceof z.$ZodObject && Object.keys(inst._zod.def.shape)
      return `Unrecognized: ${listed(keys)}${known ? `; there are ${listed(known) || 'none'}` : ''}`
    }
    case 'too_big':
      return `Too big: expected at most ${issue.maximum}`
    case 'too_small':
      return `Too small: expected at least ${issue.minimum}`
    default:
      return 'Invalid input'
  }
}

const listed = (values: readonly unknown[], separator = ', ') =>
  values.map((it) => JSON.stringify(it)).join(separator)

const made = new WeakMap<z.$ZodObject, object>()

/** A schema as JSON Schema. Made once: that costs a hundred times what checking a value does. */
export function toJsonSchema(schema: Schema, io: Direction): object {
  if (!(schema instanceof z.$ZodType)) return schema
  let found = made.get(schema)
  if (!found) {
    const json = jsonSchemaOf(schema, io)
    found = JSON.parse(JSON.stringify(json, (_, part) => portable(part, io))) as object
    made.set(schema, found)
  }
  return found
}

/**
 * A part of a schema as every host reads it, and in no more words than it needs, since models pay
 * for each: no array of types, no bounds that any integer keeps, nothing that says nothing.
 */
function portable(part: unknown, io: Direction): unknown {
  if (!isObject(part)) return part
  const { type, minimum, maximum, items, ...rest } = part
  // Hosts refuse an argument that is a list of nothing said.
  const anything = io === 'output' && isObject(items) && Object.keys(items).length === 0
  return {
    ...(Array.isArray(type) ? { anyOf: type.map((it) => ({ type: it })) } : { type }),
    minimum: minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
    maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
    items: anything ? undefined : items,
    ...rest,
  }
}
