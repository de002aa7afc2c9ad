import { rules as mysqlRules } from '../../src/database/mysql/rules.ts'
import { rules as postgresRules } from '../../src/database/postgres/rules.ts'
import type { Rules } from '../../src/database/rules.ts'
import { refuse } from '../support/guard.ts'
import { expressions, parsed } from './calls.ts'
import type { Verdict } from './fuzz.ts'
import { keywords } from './keywords.ts'
import { openMariaDb } from './mariadb.ts'
import { openMariaDbParser } from './mariadb-parser.ts'
import { judged } from './postgres.ts'
import { filled, GUIDES, MARIADB, MARIADB_GUIDES } from './slots.ts'

/** An engine whose grammar lists its keywords. */
interface Grammar {
  readonly rules: Rules
  readonly keywords: readonly string[]
  /** Statements that must not run, with a keyword in place of a name. */
  readonly statements: Iterable<string>
  judge(texts: readonly string[]): Promise<readonly Verdict[]>
  /** Expressions of one or two keywords. */
  readonly expressions: Iterable<string> | AsyncIterable<string>
  /** The functions that an expression calls. */
  calls(expression: string): Promise<readonly string[]>
  close(): Promise<void>
}

const grammars = { postgres: openPostgresGrammar, mariadb: openMariaDbGrammar }

export const hasKeywords = (engine: string): engine is keyof typeof grammars => engine in grammars

/** The number of texts that are judged at once. */
const BATCH = 500

/**
 * Puts every keyword of an engine into every slot of the statements in its file, and lists every function that its
 * grammar calls. Returns the number of texts that got past the guard but should not.
 */
export async function everyKeyword(
  engine: keyof typeof grammars,
  say: (sentence: string) => void,
): Promise<number> {
  const grammar = await grammars[engine]()
  try {
    return await everyKeywordOf(grammar, say)
  } finally {
    await grammar.close()
  }
}

async function everyKeywordOf(
  { rules, keywords, statements, expressions, calls, judge }: Grammar,
  say: (sentence: string) => void,
): Promise<number> {
  let [texts, accepted, escapes] = [0, 0, 0]
  let waiting: string[] = []
  const judgeWaiting = async () => {
    for (const [i, verdict] of (await judge(waiting)).entries()) {
      if (typeof verdict !== 'object') continue
      escapes++
      say(`escape: ${verdict.escape}\n  ${JSON.stringify(waiting[i])}`)
    }
    waiting = []
  }
  for (const text of statements) {
    texts++
    if (refuse(text, rules) !== undefined) continue
    accepted++
    waiting.push(text)
    if (waiting.length === BATCH) await judgeWaiting()
  }
  await judgeWaiting()
  const found = new Map<string, string>()
  for await (const expression of expressions) {
    texts++
    if (refuse(`select ${expression}`, rules) !== undefined) continue
    for (const name of await calls(expression)) found.set(name, expression)
  }
  for (const [name, expression] of found) say(`${name}() is called by: ${expression}`)
  say(`keywords ${keywords.length}, texts ${texts}, accepted ${accepted}, escapes ${escapes}`)
  return escapes
}

async function openPostgresGrammar(): Promise<Grammar> {
  const kinds = await keywords()
  return {
    rules: postgresRules,
    keywords: [...kinds.keys()],
    statements: filled(kinds.keys(), GUIDES),
    judge: async (texts) => texts.map(judged),
    expressions: expressions(kinds, true),
    calls: async (expression) => [...parsed(expression)].flatMap((it) => it.calls),
    close: async () => {},
  }
}

async function openMariaDbGrammar(): Promise<Grammar> {
  const [parser, engine] = [await openMariaDbParser(), await openMariaDb()]
  return {
    rules: mysqlRules,
    keywords: parser.keywords,
    statements: filled(parser.keywords, [...GUIDES, ...MARIADB_GUIDES], MARIADB),
    judge: (texts) => engine.judge(texts),
    expressions: parser.expressions(true),
    calls: async (expression) => (await parser.parsed(expression)) ?? [],
    async close() {
      await Promise.all([parser.close(), engine.close()])
    },
  }
}
