/** A number with separators: `12,345`. */
export const grouped = (number: number): string => number.toLocaleString('en')

/** The start of a string. It never cuts a character in half. */
export const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`

/** A form field, without the spaces around it. */
export const textIn = (fields: URLSearchParams, name: string): string =>
  fields.get(name)?.trim() ?? ''

/** The lines in a field that are not empty. */
export const linesIn = (fields: URLSearchParams, name: string): readonly string[] =>
  textIn(fields, name)
    .split('\n')
    .map((it) => it.trim())
    .filter(Boolean)
