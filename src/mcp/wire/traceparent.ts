/** Version, trace, parent and flags; later versions may have more. */
const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/** The trace that a client's request belongs to (W3C Trace Context), if the value is a valid one. */
export function traceparentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_CHARS) return undefined
  const [valid, version, more] = TRACEPARENT.exec(value) ?? []
  if (valid === undefined || (version === '00' && more !== undefined)) return undefined
  return valid.slice(0, LENGTH)
}

/** Characters of version 00, with which every later version begins. */
const LENGTH = 55
const MAX_CHARS = 200
