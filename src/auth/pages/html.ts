/** A piece of a page, in which all text from outside is escaped. */
export class SafeHtml {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type HtmlPart = SafeHtml | string | number | false | undefined | readonly HtmlPart[]

/** Creates a piece of a page. Escapes text, and inserts other pieces unchanged. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): SafeHtml =>
  new SafeHtml(strings.map((it, i) => (i === 0 ? it : written(parts[i - 1]) + it)).join(''))

function written(part: HtmlPart): string {
  if (part === false || part === undefined) return ''
  if (part instanceof SafeHtml) return part.text
  if (typeof part === 'object') return part.map(written).join('')
  return String(part).replace(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`)
}

/**
 * Makes a stranger's text safe to show on one line: shortens it, and removes invisible characters and characters that
 * reverse the text direction. The page must make clear that the text comes from a stranger.
 */
export function shown(text: string, max = 80): string {
  const plain = text
    .slice(0, MAX_READ)
    .replace(/[\s\p{Z}]+/gu, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\p{M}+/gu, (marks) => marks.slice(0, MAX_MARKS))
    .trim()
  const characters = [...plain]
  return characters.length > max ? `${characters.slice(0, max).join('').trim()}…` : plain
}

const MAX_READ = 2_000

/** Maximum number of combining marks in a row: more than any language puts on one letter. */
const MAX_MARKS = 4
