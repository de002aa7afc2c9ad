/** A shorter secret was probably typed rather than generated. */
export const MIN_SECRET_CHARACTERS = 32
const MIN_DIFFERENT_CHARACTERS = 8

/** True if a secret is easy to guess. */
export const isWeak = (secret: string): boolean =>
  secret.length < MIN_SECRET_CHARACTERS || new Set(secret).size < MIN_DIFFERENT_CHARACTERS
