/** Bounds on one request. A body that exceeds its bounds is refused before it costs memory. */
export interface Limits {
  /** Maximum size of a body in bytes. */
  readonly bodyBytes: number
  /** Maximum depth of a body. An MCP message has about five levels; a schema in it has about a dozen. */
  readonly depth: number
  /** Maximum number of keys in a body, counting all objects. */
  readonly keys: number
  /** Maximum length of the name of a method, a tool or a prompt. */
  readonly nameChars: number
  /** Maximum length of a resource's address. */
  readonly uriChars: number
  /**
   * Milliseconds after which a call is stopped. Subscriptions and tasks can take longer, and the time
   * that a client takes to answer a question does not count.
   */
  readonly callMs: number
}

export const limits: Limits = {
  bodyBytes: 1024 * 1024,
  depth: 64,
  keys: 20_000,
  nameChars: 256,
  uriChars: 4_096,
  callMs: 120_000,
}

/**
 * A message about the bound that a JSON body exceeds. Undefined if it exceeds none. Checked before
 * `JSON.parse` builds anything: deep nesting costs memory, and stack when it is written again.
 */
export function exceededBodyBound(
  body: string,
  { depth: deepest, keys: most }: Limits,
): string | undefined {
  let depth = 0
  let keys = 0
  for (let i = 0; i < body.length; i++) {
    const c = body.charCodeAt(i)
    if (c === QUOTE) {
      for (i++; i < body.length && body.charCodeAt(i) !== QUOTE; i++) {
        if (body.charCodeAt(i) === BACKSLASH) i++
      }
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      if (++depth > deepest) return `The body nests deeper than ${deepest} levels.`
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--
    else if (c === COLON && ++keys > most) return `The body has more than ${most} keys.`
  }
  return undefined
}

/** Bounds on each argument of a tool call, a prompt or a completion. */
const MAX_CHARS = 100_000
const MAX_ITEMS = 1_000
const MAX_KEYS = 200
const MAX_LEVELS = 16
/** Maximum length of a key, or of a list cursor. */
export const MAX_SHORT_CHARS = 1_000

/** A message about the bound that the arguments exceed. Undefined if they exceed none. */
export function exceededArgumentBound(
  value: unknown,
  name = 'An argument',
  level = 0,
): string | undefined {
  if (typeof value === 'string') {
    return value.length > MAX_CHARS ? `${name} has more than ${MAX_CHARS} characters.` : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (level > MAX_LEVELS) return `${name} nests deeper than ${MAX_LEVELS} levels.`
  const [most, of] = Array.isArray(value) ? [MAX_ITEMS, 'items'] : [MAX_KEYS, 'fields']
  const { length } = Array.isArray(value) ? value : Object.keys(value)
  if (length > most) return `${name} has more than ${most} ${of}.`
  for (const [key, part] of Object.entries(value)) {
    if (key.length > MAX_SHORT_CHARS)
      return `${name} has a field whose name has over ${MAX_SHORT_CHARS} characters.`
    const found = exceededArgumentBound(
      part,
      level === 0 ? JSON.stringify(key.slice(0, 80)) : name,
      level + 1,
    )
    if (found) return found
  }
  return undefined
}

const QUOTE = 0x22
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
