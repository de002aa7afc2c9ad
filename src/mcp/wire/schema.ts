import * as z from 'zod/v4/core'
import { type Direction, jsonSchemaOf } from './json-schema.ts'
import { isObject } from './jsonrpc.ts'
import { exceededArgumentBound, MAX_SHORT_CHARS } from './limits.ts'

/** A schema written by hand in JSON Schema 2020-12. Clients get it unchanged. */
export interface JsonSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** The input or output of a tool. Values are checked against a zod object, but not against JSON Schema. */
export type Schema = z.$ZodObject | JsonSchema

/** The type that a handler gets for a value that matches a schema. */
export type ReadBy<S extends Schema> = S extends z.$ZodObject
  ? z.output<S>
  : Record<string, unknown>

/** Reads a value with a schema, or describes the value's faults for the model. */
export function read(
  schema: Schema,
  value: unknown,
): { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string } {
  const exceeded = exceededArgumentBound(value)
  if (exceeded) return { fault: exceeded }
  if (!(schema instanceof z.$ZodType)) {
    return isObject(value) ? { value } : { fault: 'The arguments are not an object.' }
  }
  const parsed = z.safeParse(schema, value)
  if (parsed.success) return { value: parsed.data }
  // The first few faults are enough to act on. They can repeat parts of the input.
  const { issues } = parsed.error
  return {
    fault: z.prettifyError({ issues: issues.slice(0, MAX_FAULTS) }).slice(0, 2 * MAX_SHORT_CHARS),
  }
}

/** Maximum number of faults in one message. */
const MAX_FAULTS = 10

// `zod/mini` schemas have no error messages, and zod's own messages are as large as a driver.
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
      return `Unrecognized: ${listed(keys)}${known ? `; known: ${listed(known) || 'none'}` : ''}`
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

/** A schema as JSON Schema. Made only once, because it costs a hundred times as much as checking a value. */
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
 * A part of a schema in a form that every host can read. It is short, because models pay for each word: it
 * has no array of types and no bounds that hold for every integer. In an output it has no empty item schema.
 */
function portable(part: unknown, io: Direction): unknown {
  if (!isObject(part)) return part
  const { type, minimum, maximum, items, ...rest } = part
  // Hosts refuse an array argument without `items`.
  const anything = io === 'output' && isObject(items) && Object.keys(items).length === 0
  return {
    ...(Array.isArray(type) ? { anyOf: type.map((it) => ({ type: it })) } : { type }),
    minimum: minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
    maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
    items: anything ? undefined : items,
    ...rest,
  }
}
