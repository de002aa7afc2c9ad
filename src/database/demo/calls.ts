import { isName, type Token } from '../guard/token.ts'
import { BEFORE_QUERY } from './names.ts'

/** A call of a function. */
export interface Call {
  readonly name: string
  /** The first tokens of each argument: no more than it takes to tell a literal. */
  readonly args: readonly (readonly Token[])[]
  /** How many parentheses are around it. */
  readonly depth: number
  /** Whether OVER or FILTER follows. */
  readonly isWindow: boolean
}

/** The calls in a statement, inner ones first. Leaves out count(), whose value is always small. */
export function callsIn(tokens: readonly Token[]): readonly Call[] {
  const calls: Call[] = []
  /** The parentheses that are open, with the commas between them. */
  const open: { readonly at: number; readonly commas: number[] }[] = []
  for (const [i, { kind, value }] of tokens.entries()) {
    if (kind !== 'symbol') continue
    if (value === '(') open.push({ at: i, commas: [] })
    if (value === ',') open.at(-1)?.commas.push(i)
    const closed = value === ')' ? open.pop() : undefined
    const before = closed && tokens[closed.at - 1]
    if (!isName(before) || before!.value === 'count') continue
    const [after, next] = [tokens[i + 1]?.value, tokens[i + 2]?.value]
    // `with t (a, b) as (…)` names columns.
    if (after === 'as' && BEFORE_QUERY.has(next ?? '')) continue
    calls.push({
      name: before!.value,
      args: argsBetween(tokens, [closed!.at, ...closed!.commas, i]),
      depth: open.length,
      isWindow: after === 'over' || after === 'filter',
    })
  }
  return calls
}

function argsBetween(tokens: readonly Token[], edges: readonly number[]): Call['args'] {
  return edges.slice(1).map((end, n) => {
    const start = edges[n]! + 1
    return tokens.slice(start, Math.min(end, start + 2))
  })
}

/** The text that an argument is; undefined if it is anything else. */
export const textLiteral = (sql: string, [token, more]: readonly Token[] = []) =>
  token?.kind === 'text' && !more ? sql.slice(token.start + 1, token.end - 1) : undefined

/** The number that an argument is; undefined if it is anything else. */
export const numberLiteral = ([token, more]: readonly Token[] = []) =>
  token?.kind === 'number' && !more ? Number(token.value.replaceAll('_', '')) : undefined
