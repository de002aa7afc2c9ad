/** Version, trace, parent and flags. Later versions can have more fields. */
const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/** The trace of a client's request (W3C Trace Context), or undefined if the value is not a valid one. */
export function traceparentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_CHARS) return undefined
  const [valid, version, more] = TRACEPARENT.exec(value) ?? []
  if (valid === undefined || (version === '00' && more !== undefined)) return undefined
  return valid.slice(0, LENGTH)
}

/** Length of a version 00 value. Every later version begins with the same fields. */
const LENGTH = 55
const MAX_CHARS = 200
