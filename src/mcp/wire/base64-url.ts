/** Bytes as a text that can stand in a URL (RFC 4648, section 5), without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  // Many at once: a text made of single characters takes more memory than the bytes many times over.
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  }
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The bytes of such a text. Throws for a text that is none. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
