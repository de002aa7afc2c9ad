import { type Random, randomFrom } from './random.ts'

/** A query, and the values of its placeholders. */
export interface Query {
  readonly sql: string
  readonly params: readonly (string | number | null)[]
}

const VALUES = [
  ...['null', '0', '1', '-1', '2', '10', '9007199254740991', '9007199254740992'],
  ...['9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775807 - 1'],
  ...['0.5', '-0.0', '0.0', '1.0', '9e999', '-9e999', '1e300', '-5e-324', '0.1'],
  ...["'a'", "'A'", "'b'", "'B'", "'a '", "''", "'é'", "'10'", "'9007199254740993'", "'Infinity'"],
  ...["char(1, 105) || '7'", 'char(1)', "'x' || char(0) || 'y'", 'char(0)'],
  ...["x''", "x'00ff'", "x'61'", 'zeroblob(300)'],
]

/** Names that our outer query might also use, and names that change in a subquery. */
const NAMES = [
  ...['a', 'b', 'q', 'c0', 'c1', 'before', 'x', 'NaMe', 'id', 'rowid', '"id:1"', '"x y"', 'é'],
  ...['"select"', '[a]', '`b`', '"c0:1"', '"limit"', '""', '"it""s"'],
]

const TABLES: Readonly<Record<string, readonly string[]>> = {
  a: ['x', 'NaMe', 'v', '"id:1"', 'rowid'],
  b: ['name', 'n', 'c0', '"select"'],
  q: ['c0', 'c1', 'x'],
  c0: ['q', 'a', 'before'],
  before: ['s', 'c0'],
  w: ['name', '"n:1"'],
}

/** The statements that create the tables for the queries of a seed. */
export function* tables(seed: number): Generator<string> {
  const random = randomFrom(seed)
  yield 'create table a (x integer primary key, NaMe text collate nocase, v, "id:1" real)'
  yield 'create table b (name text, n integer, c0, "select" text collate rtrim)'
  yield 'create table q (c0, c1 text, x blob)'
  yield 'create table c0 (q text, a numeric, before)'
  yield 'create table before (s text collate nocase, c0 integer)'
  yield 'create index by_name on b (name collate nocase)'
  yield 'create view w as select name, count(*) as "n:1" from b group by name collate nocase'
  // Without this number, which not every version of SQLite writes the same way into a text column.
  const stored = VALUES.filter((it) => it !== '-5e-324')
  const widths = { b: 4, q: 3, c0: 3, before: 2 }
  for (let i = 0; i < 6; i++) {
    const text = random.pick(["'a'", "'A'", "'b'", "'B '", 'null', "'c'"])
    const rest = [random.pick(stored), random.pick(stored)]
    yield `insert into a values (${i === 5 ? '9007199254740993' : i + 1}, ${text}, ${rest})`
    for (const [table, width] of Object.entries(widths)) {
      const values = Array.from({ length: width }, () => random.pick(stored))
      yield `insert into ${table} values (${values})`
    }
  }
}

const names = `select name from b union select NaMe from a`

/** Queries whose answer once changed inside our outer query, and similar ones. */
const HARD = [
  `${names} order by 1 collate nocase`,
  'select 9e999, name from b union select 9007199254740993, NaMe from a order by 2 collate nocase',
  `select count(*), 9007199254740993, -9e999 from (${names} order by 1 collate nocase)`,
  `select -9e999, 9007199254740993 where 'B' in (${names} order by 1 collate nocase)`,
  ...['union', 'union all', 'except', 'intersect'].map(
    (it) => `select name, 9e999 from b ${it} select v, 9e999 from a order by 1 collate nocase desc`,
  ),
  ...['a', 'b', 'q', 'c0', 'before', 'w'].map((it) => `select *, 9e999, 2 << 60 from ${it}`),
  'select rowid, NAME, x as "id:1", name, name, 9e999, -0.0 from a',
  'select a."id:1" as c1, NAME as c0, -0.0 as before, 9e999 as c0 from a order by c1 limit ?1',
  'select name, name, 9e999 from b union values (1, 2, 3), (9007199254740993, 5, -0.0)',
  'values (-0.0), (9e999), (9007199254740993)',
  "select cast('a' as text) union all select 5 union all select 9e999 union all select -9e999",
].map((sql) => ({ sql, params: sql.includes('?1') ? [3] : [] }))

/** This many queries over {@link tables}, always the same for the same seed. */
export function* queries(seed: number, count: number): Generator<Query> {
  const random = randomFrom(seed)
  yield* HARD
  for (let i = HARD.length; i < count; i++) yield new Writer(random).query()
}

/** The columns of a FROM that the rest of a query can use. */
type Scope = readonly string[]

class Writer {
  readonly #random: Random
  readonly #params: (string | number | null)[] = []
  readonly #ctes: { readonly name: string; readonly columns: readonly string[] }[] = []

  /** The name of the CTE that is being written. */
  #making = ''

  constructor(random: Random) {
    this.#random = random
  }

  query(): Query {
    const { chance, pick } = this.#random
    const sql = `${this.#with()}${this.#select(3, 1 + this.#random.below(3))}`
    const tail = chance(0.1) ? pick([' -- x', ' /* ; */', '\n--', ' -- )', '\t']) : ''
    return this.#numbered(sql + tail)
  }

  /** Renumbers the parameters that are used, or removes the numbers if each is used once. */
  #numbered(text: string): Query {
    const uses = text.match(/\?\d+/g) ?? []
    const numbers = [...new Set(uses)]
    const bare = uses.length === numbers.length && this.#random.chance(0.5)
    const sql = text.replace(/\?\d+/g, (it) => (bare ? '?' : `?${numbers.indexOf(it) + 1}`))
    return { sql, params: numbers.map((it) => this.#params[Number(it.slice(1)) - 1]!) }
  }

  #list<T>(most: number, one: () => T): T[] {
    return Array.from({ length: 1 + this.#random.below(most) }, one)
  }

  #names(count: number): string[] {
    const found = new Map<string, string>()
    while (found.size < count) {
      const name = this.#random.pick(NAMES)
      found.set(name.replace(/^["[`]|["\]`]$/g, '').toLowerCase(), name)
    }
    return [...found.values()]
  }

  #with(): string {
    const { chance, pick, below } = this.#random
    if (chance(0.75)) return ''
    const parts = this.#list(2, () => {
      const width = 1 + below(2)
      const columns = this.#names(width)
      const name = pick(['a', 'b', 'q', 'c0', 't', '"x y"', 'before'])
      const kind = pick(['', '', 'materialized ', 'not materialized '])
      const counting = `select 1${', null'.repeat(width - 1)} union all select ${columns[0]} + 1${", 'x'".repeat(width - 1)} from ${name} where ${columns[0]} < ${2 + below(5)}`
      // Inside the CTE, its own name would cause an endless recursion.
      this.#making = name
      const body = chance(0.3) ? `${counting} limit 20` : this.#select(1, width)
      this.#making = ''
      this.#ctes.push({ name, columns })
      return `${name}(${columns}) as ${kind}(${body})`
    })
    return `with ${chance(0.8) ? 'recursive ' : ''}${parts.join(', ')}\n`
  }

  /** A query with this many columns, and with all clauses that can follow its parts. */
  #select(depth: number, width: number): string {
    const { chance, pick, below } = this.#random
    const parts = chance(0.35) ? 2 + below(2) : 1
    let text = this.#part(depth, width)
    for (let i = 1; i < parts; i++) {
      const operator = pick(['union', 'union all', 'except', 'intersect'])
      text += ` ${operator} ${this.#part(depth, width)}`
    }
    if (/\bvalues\s*\([^()]*\)(?:, \([^()]*\))*$/.test(text)) return text
    const direction = () =>
      pick(['', '', ' collate nocase', ' collate rtrim', ' collate binary']) +
      pick(['', '', ' desc', ' asc nulls last', ' desc nulls first'])
    if (chance(0.5)) {
      text += ` order by ${this.#list(width, () => `${1 + below(width)}${direction()}`).join(', ')}`
    }
    if (chance(0.3)) {
      text += ` limit ${pick([this.#param(below(9)), 1, 3, 5, -1, 100, '(select 4)'])}`
      if (chance(0.3)) text += ` offset ${below(3)}`
    }
    return text
  }

  #param(value: string | number | null): string {
    return `?${this.#params.push(value)}`
  }

  #part(depth: number, width: number): string {
    const { chance, pick } = this.#random
    if (chance(0.1)) {
      return `values ${this.#list(3, () => `(${Array.from({ length: width }, () => pick(VALUES))})`).join(', ')}`
    }
    const [from, scope] = chance(0.1) ? ['', []] : this.#from(depth)
    const isGrouped = scope.length > 0 && chance(0.25)
    const groups = isGrouped ? this.#list(2, () => this.#expression(scope, 0)) : []
    if (chance(0.15) && scope.length === width && !isGrouped) return `select *${from}`
    const items = Array.from({ length: width }, () => {
      const value = isGrouped
        ? pick([...groups, this.#aggregate(scope)])
        : chance(0.15) && scope.length > 0
          ? this.#window(scope)
          : chance(0.4) && scope.length > 0
            ? pick(scope)
            : this.#expression(scope, depth)
      return chance(0.35) ? `${value} as ${pick(NAMES)}` : value
    })
    const distinct = chance(0.15) ? 'distinct ' : ''
    let text = `select ${distinct}${items.join(', ')}${from}`
    if (scope.length > 0 && chance(0.3)) text += ` where ${this.#condition(scope, depth)}`
    if (isGrouped) {
      text += ` group by ${groups.join(', ')}`
      if (chance(0.3)) text += ` having ${this.#aggregate(scope)} is not ${pick(VALUES)}`
    }
    return text
  }

  /** A FROM, with its columns. */
  #from(depth: number): [text: string, scope: Scope] {
    const { chance, pick } = this.#random
    const [first, columns] = this.#source(depth)
    const name = pick(['t', 'q', 'a', '"x y"'])
    const scope = columns.map((it) => (chance(0.5) ? it : `${name}.${it}`))
    const text = ` from ${first} as ${name}`
    if (chance(0.75)) return [text, scope]
    const [second, others] = this.#source(depth)
    const other = pick(['c0', 'b', 'u'])
    const theirs = others.map((it) => `${other}.${it}`)
    const ours = columns.map((it) => `${name}.${it}`)
    const all = [...ours, ...theirs]
    const how = pick([' join', ' left join', ' cross join', ', ', ' full join'])
    const on = how === ', ' ? '' : ` on ${pick(ours)} ${pick(['=', '<', 'is'])} ${pick(theirs)}`
    return [`${text}${how} ${second} as ${other}${on}`, all]
  }

  #source(depth: number): [text: string, columns: readonly string[]] {
    const { chance, pick, below } = this.#random
    if (this.#ctes.length > 0 && chance(0.6)) {
      const { name, columns } = pick(this.#ctes)
      return [name, columns]
    }
    if (depth > 0 && chance(0.3)) {
      const columns = this.#names(1 + below(3))
      if (chance(0.3)) {
        const [from, scope] = this.#from(depth - 1)
        const items = columns.map((it) => `${this.#expression(scope, 0)} as ${it}`)
        return [`(select ${items.join(', ')}${from})`, columns]
      }
      const heads = columns.map((it) => `null as ${it}`)
      return [`(select ${heads} where 0 union all ${this.#bare(depth, columns.length)})`, columns]
    }
    const table = pick(Object.keys(TABLES).filter((it) => it !== this.#making))
    return [table, TABLES[table]!]
  }

  #bare(depth: number, width: number): string {
    return `select * from (${this.#select(depth - 1, width)}\n)`
  }

  #expression(scope: Scope, depth: number): string {
    const { chance, pick, below } = this.#random
    const leaf = () => (scope.length > 0 && chance(0.6) ? pick(scope) : this.#leaf())
    switch (below(depth > 0 ? 14 : 10)) {
      case 0:
        return `${leaf()} || ${leaf()}`
      case 1:
        return `${leaf()} ${pick(['+', '-', '*', '/', '<', '=', 'is', 'like'])} ${leaf()}`
      case 2:
        return `coalesce(${leaf()}, ${leaf()})`
      case 3:
        return `cast(${leaf()} as ${pick(['text', 'integer', 'real', 'numeric'])})`
      case 4:
        return `${pick(['typeof', 'length', 'upper', 'quote', 'hex', 'abs', '-', '+', 'not '])}(${leaf()})`
      case 5:
        return `case when ${leaf()} then ${leaf()} else ${leaf()} end`
      case 6:
        return `${leaf()} collate nocase`
      case 7:
        return `iif(${leaf()} > ${leaf()}, ${leaf()}, ${leaf()})`
      case 10:
        return `(${this.#select(depth - 1, 1)})`
      case 11:
        return `${leaf()} in (${this.#select(depth - 1, 1)})`
      case 12:
        return `exists (${this.#select(depth - 1, 1)})`
      case 13:
        return `(select count(*) from (${this.#select(depth - 1, 1)}))`
      default:
        return leaf()
    }
  }

  #leaf(): string {
    const { chance, pick, below } = this.#random
    return chance(0.05) ? this.#param(pick(['a', 1.5, below(9), null])) : pick(VALUES)
  }

  #condition(scope: Scope, depth: number): string {
    const { pick } = this.#random
    const value = this.#expression(scope, depth - 1)
    return pick([
      `${pick(scope)} is not null`,
      `${pick(scope)} ${pick(['>', '<=', '<>', 'is'])} ${value}`,
      `(${value}) or ${pick(scope)} is null`,
    ])
  }

  #aggregate(scope: Scope): string {
    const { pick } = this.#random
    const name = pick(['count', 'min', 'max', 'total', 'sum', 'avg', 'group_concat'])
    return pick(['count(*)', `${name}(${pick(scope)})`, `count(distinct ${pick(scope)})`])
  }

  #window(scope: Scope): string {
    const { pick } = this.#random
    const call = pick(['row_number()', 'rank()', `lag(${pick(scope)})`, 'count(*)'])
    const part = pick(['', `partition by ${pick(scope)} `])
    return `${call} over (${part}order by ${pick(scope)}, 1)`
  }
}
