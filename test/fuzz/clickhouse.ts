import { rules } from '../../src/database/clickhouse/rules.ts'
import { refuse } from '../../src/database/guard/guard.ts'
import { startClickHouse } from '../support/clickhouse.ts'
import type { Engine, Verdict } from './fuzz.ts'

/** Matches the error of the guard for a statement that it understood and refused. */
const REFUSES = / is not allowed here|can run;|can only plan /

/** Matches text in quotes, and names that are also names of clauses. */
const QUOTED_OR_CLAUSE = /`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|\b(?:settings|format|into)\b/g

/** A name as the guard reads it: in quotes, and without backslashes. */
const plain = (text: string) =>
  /^\w/.test(text) ? `\`${text}\`` : /^`.*\\/.test(text) ? '`x`' : text

/**
 * A current ClickHouse as the judge. Its parser reads a text and writes it again, without comments and with one form of
 * quotes. Nothing runs. In that form, the guard finds anything that must not run, even if it was hidden.
 */
export async function openClickHouse(): Promise<Engine> {
  const server = await startClickHouse([], 'current')
  if (!server) throw new Error('there is no chdb')
  const judge = (formatted: string | null): Verdict => {
    if (formatted === null) return 'unparsed'
    // It writes keywords in upper case, and names in lower case without quotes, even the names of clauses.
    const sql = formatted.replace(QUOTED_OR_CLAUSE, plain)
    const sentence = refuse({ sql }, rules)
    return sentence !== undefined && REFUSES.test(sentence) ? { escape: sentence } : 'reads'
  }
  return {
    name: 'clickhouse',
    rules,
    unseen: new Map([
      ['dollarQuotes', 'without it, a dollar is refused'],
      ['asciiWords', 'a current version reads other letters as the guard would'],
    ]),
    batch: 100,
    async judge(texts) {
      const literals = texts.map((it) => `'${it.replace(/[\\']/g, '\\$&')}'`)
      const answer = await server.admin(
        `select formatQuerySingleLineOrNull(arrayJoin([${literals}])) format JSONCompactEachRow`,
      )
      return answer.split('\n').map((line) => judge(JSON.parse(line)[0]))
    },
    version: () => `ClickHouse ${server.version}`,
    close: () => server.stop(),
  }
}
