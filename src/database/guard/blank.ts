import type { Lexis } from '../rules.ts'
import { Unreadable } from './token.ts'

const BLANK = /[ \t\r\n]+/y

/** Position after the white space or comment that begins here. */
export function skipBlank(sql: string, at: number, lexis: Lexis): number {
  BLANK.lastIndex = at
  const blank = BLANK.exec(sql)?.[0]
  if (blank) return at + blank.length
  if (sql.startsWith('/*', at)) return skipBlock(sql, at, lexis)
  const dashes =
    sql.startsWith('--', at) &&
    !(lexis.spacedDashes && /[!-~\u0080-\uffff]/.test(sql[at + 2] ?? ''))
  const hash = lexis.hashComments && sql[at] === '#'
  const slashes = lexis.slashComments && sql.startsWith('//', at)
  if (!dashes && !hash && !slashes) return at
  const ending = lexis.returnEndsComment ? /[\r\n]/g : /\n/g
  ending.lastIndex = at
  return ending.exec(sql)?.index ?? sql.length
}

function skipBlock(sql: string, start: number, lexis: Lexis): number {
  if (lexis.runningComments && /^\/\*M?!/.test(sql.slice(start, start + 4))) {
    throw new Unreadable('Leave out comments that begin with /*!.')
  }
  const edge = lexis.nestedComments ? /\/\*|\*\//g : /\*\//g
  edge.lastIndex = start + 2
  for (let depth = 1; depth > 0; ) {
    const found = edge.exec(sql)
    if (!found) throw new Unreadable('A comment is not closed: */ is missing.')
    depth += found[0] === '/*' ? 1 : -1
    if (depth > 1 && lexis.nestedComments === 'in some versions') {
      throw new Unreadable('Leave out /* within a comment.')
    }
  }
  if (lexis.runningComments && SETTING_HINT.test(sql.slice(start, edge.lastIndex))) {
    throw new Unreadable('Leave out the hints that change a setting or a limit.')
  }
  return edge.lastIndex
}

/** A comment with MySQL 8 optimizer hints that do more than choose a plan. */
const SETTING_HINT = /^\/\*\+.*(?:set_var|max_execution_time|resource_group)/is
