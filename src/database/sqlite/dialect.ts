import { type Dialect, doubleQuoted, limitOffset } from '../dialect.ts'
import { joinedRows } from '../schema/joined-rows.ts'
import { booleanTextToInteger } from '../transport/boolean-text.ts'
import { catalog } from './catalog.ts'
import { plan } from './plan.ts'
import { rules } from './rules.ts'

const qualified: Dialect['qualified'] = ({ schema, name }) =>
  `${doubleQuoted(schema)}.${doubleQuoted(name)}`

/** SQLite, as in Durable Objects, D1 and libSQL. */
export const sqlite: Dialect = {
  name: 'sqlite',
  title: 'SQLite',
  schema: 'main',
  rules,
  catalog,
  joining: joinedRows('json_array'),
  plan,
  inspectRole: async (ask, by) => (await import('./roles.ts')).inspectRole(ask, by),
  writes: (table) => (table ? [`delete from ${qualified(table)} where 1 = 0`] : []),
  tablesRead: async (...given) => (await import('./tables-read.ts')).tablesRead(...given),
  errorPatterns: {
    table: /no such table: (\S+)/,
    column: /no such column: (\S+)/,
    ambiguous: /ambiguous column name: (\S+)/i,
  },
  quote: doubleQuoted,
  qualified,
  page: limitOffset,
  placeholder: (n) => `?${n}`,
  comparison: {
    comparable: (column) => column,
    // A number is bound as a double, which a text column would compare as '5.0'. A string is bound as text, which
    // a numeric column converts to a number.
    bound: (value, type) => {
      if (value !== null && isText(type)) return String(value)
      // True is stored as 1 here, and no string equals it.
      return /bool/i.test(type) ? booleanTextToInteger(value) : value
    },
    like: (column, placeholder) => `${column} like ${placeholder}`,
    // Does not use LIKE, whose patterns can be at most 50 bytes long on Cloudflare.
    contains: (column, placeholder) => `instr(lower(${column}), lower(${placeholder})) > 0`,
  },
}

/** True if a declared type gives a column text affinity: https://sqlite.org/datatype3.html, section 3.1. */
const isText = (type: string) => /char|clob|text/i.test(type) && !/int/i.test(type)
