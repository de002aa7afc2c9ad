const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** What a stranger called something, on one line that nothing in it turns around. */
export const oneLine = (text: string, chars: number): string =>
  cut(text.slice(0, 2 * chars).replace(CONTROL, ' '), chars)

/** A text with at most so many characters. */
export const cut = (text: string, chars: number): string =>
  (text.length > chars ? `${text.slice(0, chars - 1)}…` : text).toWellFormed()
