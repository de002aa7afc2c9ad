import type { Cell } from '../rows.ts'

/**
 * Removes the addresses and options of other servers from a CREATE TABLE statement in a cell, because FEDERATED and
 * CONNECT keep passwords there. It reads the statement once.
 */
export function withoutConnection(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell
  const shown: string[] = []
  let [previous, at] = ['', 0]
  while (at < cell.length) {
    const start = firstQuote(cell, at)
    const end = endOf(cell, start)
    const [before, quoted] = [cell.slice(at, start), cell.slice(start, end)]
    const isValue =
      OPTION.test(before.slice(-40)) || (EQUALS.test(before) && QUOTED_OPTION.test(previous))
    shown.push(before, quoted[0] === "'" && isValue ? "'…'" : quoted)
    previous = quoted
    at = end
  }
  return shown.join('')
}

const OPTION = /\b(?:connection|option_list) {0,9}= {0,9}$/i
// MariaDB quotes the names of engine-specific options.
const QUOTED_OPTION = /^`option_list`$/i
const EQUALS = /^ {0,9}= {0,9}$/

function firstQuote(text: string, from: number): number {
  QUOTE.lastIndex = from
  return QUOTE.exec(text)?.index ?? text.length
}

const QUOTE = /['`]/g

/** Position after the quoted string or name that begins here. If it was cut off, it ends with the text. */
function endOf(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (quote === "'" && text[at] === '\\') at++
    else if (text[at] === quote && text[at + 1] === quote) at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}
