const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name that a stranger chose, on one line and without control characters that could reverse its text. */
export const oneLine = (text: string, chars: number): string =>
  cut(text.slice(0, 2 * chars).replace(CONTROL, ' '), chars)

/** A string cut to this number of characters. */
export const cut = (text: string, chars: number): string =>
  (text.length > chars ? `${text.slice(0, chars - 1)}…` : text).toWellFormed()
