import { type Dialect, limitOffset } from '../dialect.ts'
import { joinedRows } from '../schema/joined-rows.ts'
import { booleanTextToInteger } from '../transport/boolean-text.ts'
import { catalog } from './catalog.ts'
import { plan } from './plan.ts'
import { rules } from './rules.ts'

/** MySQL and MariaDB, for one database of a server, which other engines call a schema. */
export const mysql = (schema: string): Dialect => ({
  name: 'mysql',
  title: 'MySQL',
  schema,
  rules,
  logsComments: true,
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
  quote,
  qualified,
  page: limitOffset,
  placeholder: () => '?',
  comparison: {
    // Bytes compare in the form in which they are shown.
    comparable: (column, type) => {
      const bits = /^bit\((\d+)\)/.exec(type)?.[1]
      if (bits) return `concat('0x', lpad(lower(hex(${column})), ${Math.ceil(+bits / 8) * 2}, '0'))`
      if (BYTES.test(type)) return `concat('0x', lower(hex(${column})))`
      return type === 'json' ? `cast(${column} as char)` : column
    },
    // A text and a number compare as doubles: '5 apples' would equal 5.
    bound: (value, type) => {
      if (value === null || typeof value === 'boolean') return value
      // As a number, the text 'true' is 0.
      if (type === 'tinyint(1)') return booleanTextToInteger(value)
      if (!NUMBER.test(type)) return String(value)
      // What a float column shows as 0.1 is not the double 0.1.
      return type.startsWith('float') ? Math.fround(Number(value)) : value
    },
    like: (column, placeholder) => `cast(${column} as char) like ${placeholder}`,
    contains: (column, placeholder) =>
      `locate(lower(${placeholder}), lower(cast(${column} as char))) > 0`,
  },
})

const quote = (identifier: string) => `\`${identifier.replaceAll('`', '``')}\``

const qualified: Dialect['qualified'] = ({ schema, name }) => `${quote(schema)}.${quote(name)}`

const BYTES =
  /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|linestring|polygon|multi|geom)/

const NUMBER = /^(?:(?:tiny|small|medium|big)?int|decimal|float|double|year)/
