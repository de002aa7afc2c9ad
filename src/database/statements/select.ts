import { type Dialect, MAX_PARAMS } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Param, Statement } from '../rows.ts'
import { nearest } from '../schema/nearest-names.ts'
import type { ReadableTable } from '../schema/table.ts'

/** Operators for comparing a column with a value. */
export const operators = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'not_in',
  'between',
  'like',
  'contains',
  'is_null',
  'not_null',
] as const

export type Operator = (typeof operators)[number]

/** A filter. `in`, `not_in` and `between` take a list; `is_null` and `not_null` take no value. */
export interface Condition {
  readonly column: string
  readonly op: Operator
  readonly value?: Param | readonly Param[] | undefined
}

/** The data to read from one table. Column names need not be trusted: they are looked up in the catalog. */
export interface Selection {
  readonly table: ReadableTable
  /** All columns if left out. With aggregates, the columns to group by; without any, all rows are one group. */
  readonly columns?: readonly string[] | undefined
  /** `count(*)`, or `count`, `sum`, `avg`, `min` or `max` of a column, or of its `distinct` values. */
  readonly aggregates?: readonly string[] | undefined
  /** Conditions that must all hold. */
  readonly where?: readonly Condition[] | undefined
  /** Columns and aggregates, each optionally followed by `desc`. */
  readonly orderBy?: readonly string[] | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/**
 * Builds the statement that reads a selection. Names come from the catalog and values are bound, so no
 * caller input is read as SQL. Throws {@link DatabaseError} if something cannot be selected.
 */
export function selectStatement(dialect: Dialect, selection: Selection): Statement {
  const { table, columns = [], where = [], orderBy = [], limit, offset = 0 } = selection
  const aggregates = (selection.aggregates ?? []).map((it) => aggregate(dialect, table, it))
  const params: Param[] = []
  const bind = (value: Param, type?: string) => {
    params.push(value)
    return dialect.placeholder(params.length, type)
  }

  const shown = columns.map((name) => dialect.quote(lookUp(table, name).name))
  const tests = where.map((condition) =>
    conditionSql(dialect, lookUp(table, condition.column), condition, bind),
  )
  const labels = aggregates.map(({ label }) => label)
  const order = orderBy.map((key) => orderOf(dialect, table, labels, key))
  const computed = aggregates.map(({ sql, label }) => `${sql} as ${dialect.quote(label)}`)
  const everything = () =>
    dialect.hidesColumns ? table.columns.map((it) => dialect.quote(it.name)).join(', ') : '*'
  const sql = [
    `select ${[...shown, ...computed].join(', ') || everything()}`,
    `from ${dialect.qualified(table)}`,
    tests.length > 0 && `where ${tests.join(' and ')}`,
    computed.length > 0 && shown.length > 0 && `group by ${shown.join(', ')}`,
    order.length > 0 && `order by ${order.join(', ')}`,
    dialect.page(bind(limit), offset > 0 ? bind(offset) : undefined),
  ]
  const { maxParams = MAX_PARAMS } = dialect
  if (params.length > maxParams) {
    const message = `A filter takes at most ${maxParams - 2} values; this one has more.`
    throw new DatabaseError('sql', message)
  }
  const { schema, name } = table
  const read = { schema, name, columns: table.columns.map((it) => it.name) }
  return {
    sql: sql.filter(Boolean).join('\n'),
    params,
    isBuilt: true,
    ...(dialect.hidesColumns && { reads: read }),
  }
}

const FUNCTIONS = new Set(['count', 'sum', 'avg', 'min', 'max'])

/** Parses an aggregate such as `Sum( distinct x )`; undefined for anything else. */
function callOf(asked: string) {
  const text = asked.trim()
  const open = text.indexOf('(')
  const name = text.slice(0, Math.max(0, open)).trimEnd().toLowerCase()
  if (!FUNCTIONS.has(name) || !text.endsWith(')')) return undefined
  const inside = text.slice(open + 1, -1).trim()
  const distinct = /^distinct\s/i.test(inside)
  return { name, distinct, column: distinct ? inside.slice('distinct'.length).trim() : inside }
}

/** An aggregate as SQL, and the name of its column. */
function aggregate(
  dialect: Dialect,
  table: ReadableTable,
  asked: string,
): { sql: string; label: string } {
  const { name = '', distinct, column } = callOf(asked) ?? {}
  const call = (of: string, operators?: string) =>
    dialect.qualifiedCalls?.aggregate(name, of, operators) ?? `${name}(${of})`
  if (column === '*' && !distinct && name === 'count') {
    return { sql: call('*'), label: 'count(*)' }
  }
  if (!column) {
    throw new DatabaseError('sql', `${JSON.stringify(asked.slice(0, 100))} is not an aggregate.`, {
      hint: 'Write count(*), or count, sum, avg, min or max of a column, such as sum(total).',
    })
  }
  const found = lookUp(table, column)
  const of = distinct ? 'distinct ' : ''
  return {
    sql: call(`${of}${dialect.quote(found.name)}`, found.operators),
    label: `${name}(${of}${found.name})`,
  }
}

/** Parses an ORDER BY key: `total desc`, `total asc`, or `total`. */
export function keyOfOrder(asked: string): { key: string; descends: boolean } {
  const text = asked.trim()
  // A direction is never longer, so the rest of a long key is not searched.
  const end = text.slice(-' desc'.length)
  const found = /\s(?:asc|desc)$/i.exec(end)
  if (!found) return { key: asked, descends: false }
  const key = text.slice(0, found.index - end.length).trimEnd()
  return { key, descends: /desc/i.test(found[0]) }
}

/** One ORDER BY key as SQL: a column, or an aggregate if rows are grouped, and its direction. */
function orderOf(
  dialect: Dialect,
  table: ReadableTable,
  labels: readonly string[],
  asked: string,
): string {
  const known = (column: string) => table.columns.some(({ name }) => name === column)
  // A column can be named `x desc` or `max(x)`.
  const { key, descends } = known(asked) ? { key: asked, descends: false } : keyOfOrder(asked)
  const column = () => {
    const { name, type } = lookUp(table, key, labels)
    return dialect.comparison.comparable(dialect.quote(name), type)
  }
  const isAggregate = labels.length > 0 && callOf(key) && !known(key)
  const sql = isAggregate ? aggregate(dialect, table, key).sql : column()
  return descends ? `${sql} desc` : sql
}

/**
 * Finds the column with this name, or the only one that matches if case is ignored. If there is none, the
 * error lists similar columns, and other names that are valid here.
 */
function lookUp(
  { name: table, columns }: ReadableTable,
  name: string,
  others: readonly string[] = [],
): ReadableTable['columns'][number] {
  const exact = columns.find((column) => column.name === name)
  if (exact) return exact
  const folded = name.toLowerCase()
  const same = columns.filter((column) => column.name.toLowerCase() === folded)
  if (same.length === 1) return same[0]!
  const likely = nearest(name, [...others, ...columns.map((column) => column.name)])
  const hint = likely.length > 0 ? `Did you mean ${likely.join(' or ')}?` : undefined
  const quoted = JSON.stringify(name.slice(0, 100))
  throw new DatabaseError('sql', `${table} has no column called ${quoted}.`, { hint })
}

const SIGNS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** A condition as SQL. Equality with NULL becomes IS NULL. */
function conditionSql(
  { quote, comparison, qualifiedCalls }: Dialect,
  { name, type, operators }: ReadableTable['columns'][number],
  { op, value }: Condition,
  bind: (value: Param, type?: string) => string,
): string {
  const column = quote(name)
  const left = comparison.comparable(column, type)
  const sign = (it: keyof typeof SIGNS) =>
    qualifiedCalls?.operator(SIGNS[it], operators) ?? SIGNS[it]
  const bound = (value: Param) => bind(comparison.bound(value, type), type)

  switch (op) {
    case 'is_null':
      return `${column} is null`
    case 'not_null':
      return `${column} is not null`
    case 'between': {
      const [from, to] = listOf(op, value, 2)
      const least = `${left} ${sign('gte')} ${bound(singleValue(op, from))}`
      return `(${least} and ${left} ${sign('lte')} ${bound(singleValue(op, to))})`
    }
    case 'in':
    case 'not_in': {
      const list = listOf(op, value)
      const values = list.filter((it) => it !== null).map(bound)
      const among = qualifiedCalls
        ? values.map((it) => `${left} ${sign('eq')} ${it}`).join(' or ')
        : `${left} in (${values.join(', ')})`
      // In ClickHouse NULL is never in a list, so `not in` alone would match it.
      const orNull = list.includes(null) || (op === 'not_in' && values.length > 0)
      const tests = [values.length > 0 && among, orNull && `${column} is null`].filter(Boolean)
      const found = `(${tests.join(' or ') || 'null is not null'})`
      return op === 'in' ? found : `not ${found}`
    }
    case 'like':
      return comparison.like(column, bind(String(singleValue(op, value))))
    case 'contains':
      return comparison.contains(column, bind(String(singleValue(op, value))))
    default: {
      if (value === null && op === 'eq') return `${column} is null`
      if (value === null && op === 'ne') return `${column} is not null`
      return `${left} ${sign(op)} ${bound(singleValue(op, value))}`
    }
  }
}

function listOf(op: Operator, value: Condition['value'], length?: number): readonly Param[] {
  if (Array.isArray(value) && (length === undefined || value.length === length)) return value
  throw new DatabaseError('sql', `${op} takes a list of ${length ? `${length} values` : 'values'}.`)
}

function singleValue(op: Operator, value: Condition['value'] | undefined): Param {
  if (value !== null && value !== undefined && !Array.isArray(value)) return value as Param
  throw new DatabaseError('sql', `${op} takes a value, not a list or null.`)
}
