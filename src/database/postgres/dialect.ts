import { type Dialect, doubleQuoted, limitOffset } from '../dialect.ts'
import { joinedRows } from '../schema/joined-rows.ts'
import { catalog } from './catalog.ts'
import { plan } from './plan.ts'
import { rules } from './rules.ts'
import { catalogTypeName } from './types.ts'

const qualified: Dialect['qualified'] = ({ schema, name }) =>
  `${doubleQuoted(schema)}.${doubleQuoted(name)}`

/** PostgreSQL 12 and later. */
export const postgres: Dialect = {
  name: 'postgres',
  title: 'PostgreSQL',
  schema: 'public',
  rules,
  logsComments: true,
  catalog,
  joining: joinedRows('json_build_array'),
  plan,
  inspectRole: async (ask, by) => (await import('./roles.ts')).inspectRole(ask, by),
  writes: (table) => [
    ...(table
      ? [
          `with gone as (delete from ${qualified(table)} where false returning 1) select * from gone`,
        ]
      : []),
    "select pg_catalog.set_config('transaction_read_only', 'off', true)",
  ],
  errorPatterns: {
    table: /^relation "(.+)" does not exist/,
    column: /^column (.+) does not exist/,
    ambiguous: /^column reference "(.+)" is ambiguous/,
  },
  quote: doubleQuoted,
  qualified,
  page: limitOffset,
  catalogTypeName,
  placeholder: (n) => `$${n}`,
  comparison: {
    // A placeholder without a type takes the type of the column it is compared with. These types have no
    // equality operator. jsonb compares by value.
    comparable: (column, type) => {
      if (type === 'json') return `${column}::pg_catalog.jsonb`
      return UNEQUAL.has(type) ? text(column) : column
    },
    bound: (value) => value,
    like: (column, placeholder) => `${text(column)} operator(pg_catalog.~~) ${text(placeholder)}`,
    contains: (column, placeholder) =>
      `pg_catalog.strpos(${lower(column)}, ${lower(placeholder)}) operator(pg_catalog.>) 0`,
  },
  qualifiedCalls: {
    operator: (sign, operators = 'pg_catalog') => `operator(${doubleQuoted(operators)}.${sign})`,
    aggregate(name, column, operators) {
      // pg_catalog has no min() and max() for an extension's type, but the type has an order.
      if (!operators || !/^m/.test(name)) return `pg_catalog.${name}(${column})`
      const order = `${column}${name === 'max' ? ' desc nulls last' : ''}`
      return `(pg_catalog.array_agg(distinct ${column} order by ${order}))[1]`
    },
  },
}

// These names are qualified because a statement about a table runs with the role's search path: the views and
// functions that it uses rely on that path.
const text = (value: string) => `${value}::pg_catalog.text`
const lower = (value: string) => `pg_catalog.lower(${text(value)})`

const UNEQUAL = new Set(['xml', 'point', 'polygon', 'box', 'path'])
