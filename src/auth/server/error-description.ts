/**
 * The sentence of an error as it may be sent (RFC 6749, sections 4.1.2.1 and 5.2): some characters are not allowed,
 * and the library repeats what a stranger wrote.
 */
export const errorDescription = (text: string): string =>
  text.slice(0, MAX_CHARS).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')

const MAX_CHARS = 200
