import type { Authenticate } from './authenticate.ts'

/** Recognizes callers by the key of this deployment (RFC 6750, `Authorization: Bearer`). */
export function bearer(key: string): Authenticate {
  const expected = encoder.encode(key)
  const caller = { subject: 'key', scopes: [] }
  return (request) => {
    const shown = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    return shown !== undefined && equal(encoder.encode(shown), expected) ? caller : undefined
  }
}

const encoder = new TextEncoder()

/** Compares two texts. The time does not depend on where they differ, so it tells nothing about the key. */
function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i % b.length]!
  return difference === 0
}
