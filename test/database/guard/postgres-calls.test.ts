import { describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/postgres/rules.ts'
import { expressions, parsed } from '../../fuzz/calls.ts'
import { keywords } from '../../fuzz/keywords.ts'
import { judged } from '../../fuzz/postgres.ts'
import { MARKER } from '../../fuzz/postgres-server.ts'
import { refuse } from '../../support/guard.ts'

/**
 * The functions that PostgreSQL's grammar calls by itself, without a name in front of a parenthesis:
 * `a at local`, `collation for (a)`, `trim(a)`. Each was looked at: it only computes.
 */
const HARMLESS = [
  ...['btrim', 'extract', 'is_normalized', 'json_object', 'like_escape', 'ltrim', 'normalize'],
  ...['overlaps', 'overlay', 'pg_collation_for', 'position', 'rtrim', 'similar_to_escape'],
  ...['substring', 'system_user', 'timezone'],
]

/** The kinds of nodes that expressions are made of. One of them that calls by a name is a FuncCall. */
const NODES = [
  ...['A_ArrayExpr', 'A_Const', 'A_Expr', 'A_Indices', 'A_Indirection', 'A_Star', 'BoolExpr'],
  ...['BooleanTest', 'CaseExpr', 'CaseWhen', 'CoalesceExpr', 'CollateClause', 'ColumnDef'],
  ...['ColumnRef', 'FuncCall', 'GroupingFunc', 'JsonArrayAgg', 'JsonArrayConstructor'],
  ...['JsonArrayQueryConstructor', 'JsonFuncExpr', 'JsonIsPredicate', 'JsonKeyValue'],
  ...['JsonObjectAgg', 'JsonObjectConstructor', 'JsonParseExpr', 'JsonScalarExpr'],
  ...['JsonSerializeExpr', 'JsonValueExpr', 'List', 'MergeSupportFunc', 'MinMaxExpr', 'NullTest'],
  ...['RangeFunction', 'RangeSubselect', 'RangeVar', 'ResTarget', 'RowExpr', 'SQLValueFunction'],
  ...['SelectStmt', 'SetToDefault', 'SortBy', 'String', 'SubLink', 'TypeCast', 'XmlExpr'],
  'XmlSerialize',
]

describe('the calls that the grammar of PostgreSQL makes', async () => {
  const kinds = await keywords()
  /** Each function, with an expression that calls it. */
  const calls = new Map<string, string>()
  const nodes = new Set<string>()
  const marked: string[] = []
  const refused = (text: string) => refuse(text, rules) !== undefined
  for (const expression of expressions(kinds)) {
    const trees = [...parsed(expression)]
    if (trees.length === 0) continue
    marked.push(...withMarker(expression))
    if (refused(`select ${expression}`)) continue
    for (const it of trees) {
      for (const name of it.calls) calls.set(name, expression)
      for (const node of it.nodes) nodes.add(node)
    }
  }

  test('are those that somebody has looked at, or are refused', () => {
    expect([...calls.keys()].filter((name) => !HARMLESS.includes(name))).toEqual([])
    // A list that is longer than the grammar hides what somebody adds to it.
    expect(HARMLESS.filter((name) => !calls.has(name))).toEqual([])
    for (const name of HARMLESS) expect(refused(`select ${name}(a)`), name).toBe(false)
  })

  test('are nodes of a kind that somebody has looked at', () => {
    expect([...nodes].filter((it) => !NODES.includes(it)).sort()).toEqual([])
  })

  test('are refused where they call a function whose name is in the text', () => {
    const through = marked.filter((text) => !refused(text) && typeof judged(text) === 'object')
    expect(through.slice(0, 10)).toEqual([])
    expect(marked.length).toBeGreaterThan(1_000)
  })
})

/** An expression with a refused function at each of its names, as a value and as a relation. */
function withMarker(expression: string): string[] {
  return ['a', 'b', 'c'].flatMap((name) => {
    const text = expression.replace(new RegExp(`\\b${name}\\b`), MARKER)
    return text === expression ? [] : [`select ${text}`, `select 1 from ${text}`]
  })
}
