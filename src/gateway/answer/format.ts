import type { Cell } from '../../database/index.ts'
import { ToolResult } from '../../mcp/index.ts'
import type { Endpoint } from '../config/endpoint.ts'
import { type CappedAnswer, isAnswer } from './answer.ts'

type AnswerFormat = Endpoint['format']

/** Writes the text of a result in the endpoint's format. The structured content stays the same. */
export function formatted(value: object, format: AnswerFormat): object {
  const text = isAnswer(value) ? rowsAs(value, format) : otherAs(value, format)
  return text === undefined ? value : new ToolResult([{ type: 'text', text }], { ...value })
}

function rowsAs(answer: CappedAnswer, format: AnswerFormat): string | undefined {
  if (format === 'json') return undefined
  const table = format === 'csv' ? csv : markdown
  const { totals, hint } = answer
  const below = totals && `Totals:\n${table({ ...answer, rows: [totals] })}`
  // An empty line separates the rows, the totals and the hint.
  return [table(answer), below, hint && escaped(hint, format)].filter(Boolean).join('\n\n')
}

/** JSON is one line, so nothing in it ends the code block. */
const otherAs = (value: object, format: AnswerFormat) =>
  format === 'markdown' ? `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` : undefined

/** Escapes a message for a format, because it can contain text from strangers. */
export const escaped = (sentence: string, format: AnswerFormat): string =>
  format === 'markdown' ? plain(sentence) : sentence

const textOf = (cell: Cell) =>
  cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : String(cell)

/** Writes rows as CSV (RFC 4180). NULL is empty, and an empty string is `""`. */
export function csv(
  { columns, rows }: Pick<CappedAnswer, 'columns' | 'rows'>,
  write: (cell: Cell) => Cell = (cell) => cell,
): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((row) => row.map((cell) => field(write(cell))).join(',')).join('\n')
}

function field(cell: Cell): string {
  if (cell === null) return ''
  const text = textOf(cell)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Puts `'` before a string that a spreadsheet would run as a formula, even if it already starts with `'`. Skips
 * numbers.
 */
export const neutralizeFormula = (cell: Cell): Cell =>
  typeof cell === 'string' && FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell

const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/
const NUMBER = /^[+-](?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Infinity)$/i

/** Writes rows as a table in GitHub's Markdown. */
function markdown({ columns, rows }: CappedAnswer): string {
  const lines = [columns.map(({ name }) => name), columns.map(() => '---'), ...rows]
  return lines.map((row, i) => `| ${row.map(i === 1 ? String : inCell).join(' | ')} |`).join('\n')
}

const inCell = (cell: Cell) =>
  cell === null ? 'NULL' : plain(textOf(cell)).replace(/\r\n|[\r\n]/g, '<br>')

/**
 * Escapes a string for Markdown, so nothing in it becomes an image, a link, HTML or a table cell. A bare URL can
 * swallow a backslash after it. So `<` becomes an entity, and after `]` and `!` the backslash goes before the next
 * character.
 */
const plain = (text: string) => text.replace(MARKS, (it) => ENTITIES[it] ?? `\\${it}`)

const MARKS =
  /[\\|<`*~]|(?<=[\]!])\[|(?<=\])[(:]|&(?=#?\w+;)|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu
const ENTITIES: Partial<Record<string, string>> = { '<': '&lt;', '&': '&amp;' }
