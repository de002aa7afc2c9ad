/** A random string of letters and digits, with about six bits per character. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // Bytes past the last whole alphabet would make its first characters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < ALPHABET.length * 4 && text.length < length)
        text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** SHA-256 of a string. */
export const sha256 = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

/** SHA-256 of a string, in hexadecimal digits. */
export const hashOf = async (text: string): Promise<string> =>
  Array.from(await sha256(text), (it) => it.toString(16).padStart(2, '0')).join('')
