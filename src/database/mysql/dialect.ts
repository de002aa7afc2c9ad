import { type Dialect, limitOffset } from '../dialect.ts'
import { joinedRows } from '../schema/joined-rows.ts'
import { booleanTextToInteger } from '../transport/boolean-text.ts'
import { catalog } from './catalog.ts'
import { withoutConnection } from './created-table.ts'
import { plan } from './plan.ts'
import { quoted } from './quote.ts'
import { rules } from './rules.ts'

/** MySQL and MariaDB, for one database on a server, which other engines call a schema. */
export const mysql = (schema: string): Dialect => ({
  name: 'mysql',
  title: 'MySQL',
  schema,
  rules,
  logsComments: true,
  withoutSecrets: withoutConnection,
  catalog,
  joining: joinedRows('json_array'),
  plan,
  inspectRole: async (ask, by) => (await import('./roles.ts')).inspectRole(ask, by),
  writes: (table) => (table ? [`delete from ${qualified(table)} where 1 = 0`] : []),
  errorPatterns: {
    table: /^Table '(.+?)' doesn't exist/,
    column: /^Unknown column '(.+?)' in/,
    ambiguous: /^Column '([^']+)' in .+ is ambiguous/i,
  },
  quote: quoted,
  qualified,
  page: limitOffset,
  placeholder: () => '?',
  comparison: {
    // Bytes are compared in the form in which they are shown.
    comparable: (column, type) => {
      const bits = /^bit\((\d+)\)/.exec(type)?.[1]
      if (bits) return `concat('0x', lpad(lower(hex(${column})), ${Math.ceil(+bits / 8) * 2}, '0'))`
      if (BYTES.test(type)) return `concat('0x', lower(hex(${column})))`
      return type === 'json' ? `cast(${column} as char)` : column
    },
    // A string and a number are compared as doubles: '5 apples' would equal 5.
    bound: (value, type) => {
      if (value === null || typeof value === 'boolean') return value
      // As a number, the string 'true' is 0.
      if (type === 'tinyint(1)') return booleanTextToInteger(value)
      if (!NUMBER.test(type)) return String(value)
      // A float column that shows 0.1 does not contain the double 0.1.
      return type.startsWith('float') ? Math.fround(Number(value)) : value
    },
    like: (column, placeholder) => `cast(${column} as char) like ${placeholder}`,
    contains: (column, placeholder) =>
      `locate(lower(${placeholder}), lower(cast(${column} as char))) > 0`,
  },
})

const qualified: Dialect['qualified'] = ({ schema, name }) => `${quoted(schema)}.${quoted(name)}`

const BYTES =
  /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|linestring|polygon|multi|geom)/

const NUMBER = /^(?:(?:tiny|small|medium|big)?int|decimal|float|double|year)/
