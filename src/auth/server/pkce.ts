/** Whether a text can be a challenge of the method S256 (RFC 7636, section 4.2). */
export const isChallenge = (text: string | undefined): boolean =>
  text !== undefined && /^[\w-]{43}$/.test(text)

/** Whether a text can be a verifier, which is long enough not to be guessed (RFC 7636, section 4.1). */
export const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)
