import { hashOf, randomText } from '../../ground/index.ts'

/** The right to read databases. Every endpoint requires it, and it is the only scope (RFC 6749, section 3.3). */
export const READ = 'db:read'

/** The format of a key: `tg_`, its id, and the secret part. */
const KEY = /^tg_([A-Za-z0-9]{12})_[A-Za-z0-9]{40}$/

/** A key that a caller presents. */
export interface PresentedKey {
  readonly id: string
  /** SHA-256 of the whole key, in hexadecimal digits. */
  readonly hash: string
}

/** Reads a key. Undefined if the string is not a key. */
export async function readKey(text: string): Promise<PresentedKey | undefined> {
  const id = KEY.exec(text)?.[1]
  return id === undefined ? undefined : { id, hash: await hashOf(text) }
}

/** Makes a key with 238 random bits. The key is shown once. Only its id and its hash are stored. */
export async function makeKey(): Promise<PresentedKey & { readonly key: string }> {
  const id = randomText(12)
  const key = `tg_${id}_${randomText(40)}`
  if (!LOOKS_SECRET.every((kind) => kind.test(key))) return makeKey()
  return { key, id, hash: await hashOf(key) }
}

/**
 * Patterns that Workers logs hide as secrets in a URL: strings of at least 21 characters with two capitals, two
 * lowercase letters and two digits (developers.cloudflare.com/workers/runtime-apis/handlers/tail). Nearly all keys fit.
 */
const LOOKS_SECRET = [/[A-Z].*[A-Z]/, /[a-z].*[a-z]/, /\d.*\d/]
