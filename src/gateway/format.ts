import type { Cell } from '../database/index.ts'
import { ToolResult } from '../mcp/index.ts'
import type { Endpoint } from './endpoint.ts'
import type { Answer } from './rows.ts'

/** An answer with its text in the format of an endpoint; the structure beside it stays the same. */
export function formatted(answer: Answer, format: Endpoint['format']): object {
  if (format === 'json') return answer
  const text = format === 'csv' ? csv(answer) : markdown(answer)
  // Rows end where an empty line is, which none of them holds.
  const said = answer.hint ? `${text}\n\n${answer.hint}` : text
  return new ToolResult([{ type: 'text', text: said }], { ...answer })
}

const textOf = (cell: Cell) =>
  cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : String(cell)

/** RFC 4180, with NULL as nothing and an empty text as `""`. */
export function csv({ columns, rows }: Pick<Answer, 'columns' | 'rows'>): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((row) => row.map(field).join(',')).join('\n')
}

function field(cell: Cell): string {
  if (cell === null) return ''
  const text = textOf(cell)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table of GitHub's Markdown. */
function markdown({ columns, rows }: Answer): string {
  const lines = [columns.map(({ name }) => name), columns.map(() => '---'), ...rows]
  return lines.map((row) => `| ${row.map(inCell).join(' | ')} |`).join('\n')
}

const inCell = (cell: Cell) =>
  cell === null
    ? 'NULL'
    : textOf(cell)
        .replace(/[\\|]/g, '\\$&')
        .replace(/\r\n|[\r\n]/g, '<br>')
