/** How a key is written: `tg_`, its id, and the secret part. */
const KEY = /^tg_([A-Za-z0-9]{12})_[A-Za-z0-9]{40}$/

/** A key that a caller shows. */
export interface ShownKey {
  readonly id: string
  /** SHA-256 of the whole key, in hexadecimal digits. */
  readonly hash: string
}

/** Reads a key. Undefined if the text is none. */
export async function readKey(text: string): Promise<ShownKey | undefined> {
  const id = KEY.exec(text)?.[1]
  return id === undefined ? undefined : { id, hash: await hashOf(text) }
}

/** Makes a key: 238 random bits. The text is shown once; what is kept is its id and its hash. */
export async function makeKey(): Promise<ShownKey & { readonly key: string }> {
  const id = randomText(12)
  const key = `tg_${id}_${randomText(40)}`
  if (!LOOKS_SECRET.every((kind) => kind.test(key))) return makeKey()
  return { key, id, hash: await hashOf(key) }
}

/**
 * Logs of Workers leave out what looks like a secret in a URL: at least 21 characters with two capitals, two
 * small letters and two digits (developers.cloudflare.com/workers/runtime-apis/handlers/tail). Nearly all do.
 */
const LOOKS_SECRET = [/[A-Z].*[A-Z]/, /[a-z].*[a-z]/, /\d.*\d/]

/** A random text of letters and digits, about six bits for each character. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // Bytes past the last whole alphabet would make its beginning more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < ALPHABET.length * 4 && text.length < length)
        text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** SHA-256 of a text, in hexadecimal digits. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((it) => it.toString(16).padStart(2, '0')).join('')
}
