import { parseSync } from 'libpg-query'
import { NAME_OF_COLUMN, NAME_OF_FUNCTION, RESERVED } from './keywords.ts'

/** Expressions with one keyword, `#`, in every shape of a call other than `f(…)` in PostgreSQL's grammar. */
const ONE = [
  ...['#', '# a', "# 'a'", 'a #', 'a # b', "a # 'b'", '# (a)', '# ()', '# (a, b)', '# (a, b, c)'],
  ...['# (a as b)', '# (a b)', '# (a from b)', '# (a in b)', '# (a for b)', '# (a from b for c)'],
  ...['# (a for b from c)', '# (a placing b from c)', '# (a passing b)', '# (content a as b)'],
  ...['# (a : b)', '# (name a)', '# for (a)', '(a, b) # (a, b)', 'a::#', 'cast(a as #)'],
  ...["# (a) 'b'", 'a # any (b)', 'a # (select b)', '# (select a)', 'a collate #', 'a # b and c'],
  ...['a # b escape c', 'a not # b', 'a is #', 'a is not #', '# a b', '# (1) a', 'a at #'],
  ...['# as (a int)', '# [a]', '#.a', 'a.#', '(a).#', '# a end', '# (*)', '# (variadic a)'],
  ...['# (distinct a order by b)', '# (a as b.c)', '# (a as b c)'],
]

/** The same with two keywords, `#` and `@`, and the possible kinds of the first keyword. */
const TWO: readonly (readonly [kinds: readonly number[], ...shapes: string[]])[] = [
  [[NAME_OF_FUNCTION, RESERVED], 'a # @ b', 'a # @', 'a # @ b escape c', 'a not # @ b'],
  [[NAME_OF_FUNCTION, RESERVED], 'a is # @', 'a is not # @'],
  [[NAME_OF_COLUMN, NAME_OF_FUNCTION, RESERVED], '# @ (a)', '# @ a'],
  [[NAME_OF_COLUMN], '# (@ a)', '# (@ from a)', '# (@ a from b)', '# (a @ b)', '# (a, @)'],
  [[NAME_OF_COLUMN], '# (@)', '# (a @)', '# (a as @)'],
]

/** Expressions with every keyword, and with every pair of keywords. */
export function* expressions(kinds: ReadonlyMap<string, number>, all = false): Generator<string> {
  yield* withOne(kinds.keys(), ONE)
  for (const [shape, firsts] of pairShapes(kinds, all)) {
    for (const first of firsts) yield* withSecond(shape, first, kinds.keys())
  }
}

/** Each shape with each word in place of `#`. */
export function* withOne(
  words: Iterable<string>,
  shapes: readonly string[] = ONE,
): Generator<string> {
  const list = [...words]
  for (const shape of shapes) for (const word of list) yield shape.replaceAll('#', word)
}

/**
 * Each shape with two keywords, and the words that can be its first keyword. A keyword that can be the name of a
 * function is an ordinary call before a parenthesis, and a keyword that can be the name of a column is a label
 * after a value. Such keywords are left out there, unless `all` is true.
 */
export function* pairShapes(
  kinds: ReadonlyMap<string, number>,
  all = false,
): Generator<readonly [shape: string, firsts: readonly string[]]> {
  for (const [of, ...shapes] of TWO) {
    const firsts = [...kinds.keys()].filter((it) => all || of.includes(kinds.get(it)!))
    for (const shape of shapes) yield [shape, firsts]
  }
}

/** A shape with two keywords, with its first keyword and each word as the second one. */
export function* withSecond(
  shape: string,
  first: string,
  seconds: Iterable<string>,
): Generator<string> {
  const begun = shape.replaceAll('#', first)
  for (const second of seconds) yield begun.replaceAll('@', second)
}

type Node = { readonly [key: string]: unknown }

/** The names of functions that PostgreSQL's parser itself adds to a tree, and the kinds of nodes in it. */
export interface Parsed {
  readonly calls: readonly string[]
  readonly nodes: ReadonlySet<string>
}

/** The parse results of an expression as a value, and also as a relation if it looks like a call. */
export function* parsed(expression: string): Generator<Parsed> {
  const isRelation = /^\w+ \(/.test(expression)
  for (const clause of isRelation ? ['select', 'select 1 from'] : ['select']) {
    const text = `${clause} ${expression}`
    let tree: unknown
    try {
      tree = parseSync(text)
    } catch {
      continue
    }
    const found = { calls: [] as string[], nodes: new Set<string>() }
    collect(tree, text, found)
    yield found
  }
}

function collect(
  node: unknown,
  text: string,
  found: { readonly calls: string[]; readonly nodes: Set<string> },
): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (/^[A-Z]/.test(key)) found.nodes.add(key)
    if (key === 'FuncCall') {
      const parts = (value as Node).funcname as readonly { String: { sval: string } }[]
      const names = parts.map((it) => it.String.sval)
      const last = names.at(-1)!
      // A call that is in the text has the same name in the tree, without a schema.
      const written = names.length === 1 && new RegExp(`\\b${last} ?\\(`).test(text)
      if (!written) found.calls.push(last)
    }
    collect(value, text, found)
  }
}
