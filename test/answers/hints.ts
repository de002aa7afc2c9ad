import type { Arguments } from './conversation.ts'

/** Fixes a call according to the text of an error. Returns undefined if the text does not help. */
type Fix = (args: Arguments, error: string, meant: RegExp) => Arguments | undefined

/**
 * The ways to fix a call, each based only on the text of the error: they replace a wrong word with one
 * that the error suggests.
 */
const fixes: readonly Fix[] = [
  (args, error, meant) => {
    const wrong = wrongName(error)
    const [, offered] = /Did you mean (.+)\?/.exec(error) ?? []
    return wrong && offered ? renamed(args, wrong, choose(offered.split(' or '), meant)) : undefined
  },
  (args, error, meant) => {
    const wrong = wrongName(error)
    const [, offered] = /Available (?:tables|columns): (.+?)\.(?:\n|$)/.exec(error) ?? []
    const right = offered?.split(/, | and /).find((it) => meant.test(it))
    return wrong && right ? renamed(args, wrong, right) : undefined
  },
  // If two tables have a column with the same name, this adds the table's alias.
  (args, error, meant) => {
    const [, name] = /ambiguous column name: (\w+)/.exec(error) ?? []
    const [, line, column] = /At line (\d+), column (\d+)/.exec(error) ?? []
    if (!name || line !== '1' || typeof args.sql !== 'string') return undefined
    const alias = aliases(args.sql).find(([table]) => meant.test(table))?.[1]
    if (!alias) return undefined
    const at = Number(column) - 1
    return { ...args, sql: `${args.sql.slice(0, at)}${alias}.${args.sql.slice(at)}` }
  },
  // SQLite has no function with this name. The error code shows that the dialect is SQLite's.
  (args, error) => {
    const [, name] = /no such function: (\w+) \(SQLITE_ERROR\)/.exec(error) ?? []
    if (!name || typeof args.sql !== 'string') return undefined
    const sql = SQLITE[name]?.(args.sql) ?? args.sql
    return sql === args.sql ? undefined : { ...args, sql }
  },
  // In SQLite, the number of rows comes last.
  (args, error) => {
    const [, word] = /near "(\d+)": syntax error \(SQLITE_ERROR\)/.exec(error) ?? []
    if (!word || typeof args.sql !== 'string') return undefined
    const [, count, rest] = /^select top (\d+) (.*)$/s.exec(args.sql) ?? []
    return count ? { ...args, sql: `select ${rest} limit ${count}` } : undefined
  },
  // Replaces an operator with one from the list in the error.
  (args, error) => {
    const [, listed, index] = /expected one of (.+)\n.*at where\[(\d+)\]\.op/.exec(error) ?? []
    const where = args.where as { op: string }[] | undefined
    const wrong = where?.[Number(index)]?.op
    const right = wrong && OPERATORS[wrong]
    if (!listed || !right || !listed.includes(`"${right}"`)) return undefined
    return {
      ...args,
      where: where.map((it, i) => (i === Number(index) ? { ...it, op: right } : it)),
    }
  },
  // "count" is not an aggregate, and the hint shows the right form.
  (args, error) => {
    const [, wrong] = /^"(\w+)" is not an aggregate\.[\s\S]*Write count\(\*\)/.exec(error) ?? []
    return wrong === 'count' ? renamed(args, 'count', 'count(*)') : undefined
  },
]

/** The same call, fixed according to the error. Throws if the error does not help. */
export function fixed(args: Arguments, error: string, meant: RegExp): Arguments {
  for (const fix of fixes) {
    const better = fix(args, error, meant)
    if (better) return better
  }
  throw new Error(`The error says nothing to act on: ${error}`)
}

function wrongName(error: string): string | undefined {
  const [, bare, quoted] =
    /no such (?:table|column): (\S+)|(?:no table|no column) called "([^"]+)"/.exec(error) ?? []
  return bare ?? quoted
}

/** The intended name, or else the first one, which is the most likely. */
const choose = (names: readonly string[], meant: RegExp) =>
  names.find((it) => meant.test(it)) ?? names[0]!

/** Replaces every use of a name. A name after an alias keeps the alias. */
function renamed(args: Arguments, wrong: string, right: string): Arguments {
  const [, alias] = /^(\w+)\.\w+$/.exec(wrong) ?? []
  const column = right.split('.').at(-1)!
  const known =
    alias && typeof args.sql === 'string' && aliases(args.sql).some((it) => it[1] === alias)
  const word = new RegExp(String.raw`(?<![\w.])${wrong.replace(/[.*+?()]/g, '\\$&')}(?![\w(])`, 'g')
  const inSql = known ? `${alias}.${column}` : column
  const end = typeof args.sql === 'string' ? inSql : right
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(word, end)
    if (Array.isArray(value)) return value.map(replaced)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, replaced(it)]))
  }
  return replaced(args) as Arguments
}

/** The tables of a statement with their aliases. */
function aliases(sql: string): [table: string, alias: string][] {
  return [...sql.matchAll(/\b(?:from|join) (\w+) (?:as )?(\w+)/gi)].map(
    ([, table = '', alias = '']) => [table, alias],
  )
}

const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'eq',
  '>': 'gt',
}

/** The SQLite equivalents of functions in other dialects, which every model knows. */
const SQLITE: Readonly<Record<string, (sql: string) => string>> = {
  date_trunc: (sql) => sql.replace(/date_trunc\('month', (.+?)\)/g, "strftime('%Y-%m', $1)"),
  datediff: (sql) => sql.replace(/datediff\((.+?), (.+?)\)/g, 'julianday($1) - julianday($2)'),
}
