import type { Cell } from '../database/index.ts'
import { ToolResult } from '../mcp/index.ts'
import { type Answer, isAnswer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'

type Format = Endpoint['format']

/** What a tool returned, with its text in the format of an endpoint; the structure stays the same. */
export function formatted(value: object, format: Format): object {
  const text = isAnswer(value) ? rowsIn(value, format) : otherIn(value, format)
  return text === undefined ? value : new ToolResult([{ type: 'text', text }], { ...value })
}

function rowsIn(answer: Answer, format: Format): string | undefined {
  if (format === 'json') return undefined
  const table = format === 'csv' ? csv : markdown
  const { totals, hint } = answer
  const below = totals && `Totals:\n${table({ ...answer, rows: [totals] })}`
  // Rows end where an empty line is, which none of them holds.
  return [table(answer), below, hint && said(hint, format)].filter(Boolean).join('\n\n')
}

/** JSON is one line, so nothing in it ends the block that keeps Markdown out. */
const otherIn = (value: object, format: Format) =>
  format === 'markdown' ? `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` : undefined

/** A sentence that may hold a stranger's words, as it stands in a text of this format. */
export const said = (sentence: string, format: Format): string =>
  format === 'markdown' ? plain(sentence) : sentence

const textOf = (cell: Cell) =>
  cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : String(cell)

/** RFC 4180, with NULL as nothing and an empty text as `""`. */
export function csv(
  { columns, rows }: Pick<Answer, 'columns' | 'rows'>,
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
 * A cell as a spreadsheet may open it: `'` stands before a text that it would run as a formula, and
 * before one that already has such a `'`. Numbers stay, also those that come as text.
 */
export const inert = (cell: Cell): Cell =>
  typeof cell === 'string' && FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell

const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/
const NUMBER = /^[+-](?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Infinity)$/i

/** A table of GitHub's Markdown. */
function markdown({ columns, rows }: Answer): string {
  const lines = [columns.map(({ name }) => name), columns.map(() => '---'), ...rows]
  return lines.map((row, i) => `| ${row.map(i === 1 ? String : inCell).join(' | ')} |`).join('\n')
}

const inCell = (cell: Cell) =>
  cell === null ? 'NULL' : plain(textOf(cell)).replace(/\r\n|[\r\n]/g, '<br>')

/**
 * A text whose signs a renderer shows as they are: none makes an image, a link, HTML or a cell. An
 * address that stands there openly may take a backslash behind it for its own, and what that kept
 * apart: so `<` is an entity, and what is kept apart from `]` and `!` is the sign that follows them.
 */
const plain = (text: string) => text.replace(MARKS, (it) => ENTITIES[it] ?? `\\${it}`)

const MARKS =
  /[\\|<`*~]|(?<=[\]!])\[|(?<=\])[(:]|&(?=#?\w+;)|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu
const ENTITIES: Partial<Record<string, string>> = { '<': '&lt;', '&': '&amp;' }
