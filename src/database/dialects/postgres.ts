import type { Dialect } from '../database.ts'
import { catalog } from './postgres-catalog.ts'
import { plan } from './postgres-plan.ts'
import { rules } from './postgres-rules.ts'

/** PostgreSQL, from version 12 on. */
export const postgres: Dialect = {
  name: 'postgres',
  title: 'PostgreSQL',
  schema: 'public',
  rules,
  catalog,
  plan,
  unknown: {
    table: /^relation "(.+)" does not exist/,
    column: /^column (.+) does not exist/,
  },
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  placeholder: (n) => `$${n}`,
  comparison: {
    // A placeholder of no stated type takes that of the column it is compared with. These have no
    // equality; jsonb's is by value.
    comparable: (column, type) => {
      if (type === 'json') return `${column}::jsonb`
      return UNEQUAL.has(type) ? `${column}::text` : column
    },
    bound: (value) => value,
    like: (column, placeholder) => `${column}::text like ${placeholder}::text`,
    contains: (column, placeholder) =>
      `strpos(lower(${column}::text), lower(${placeholder}::text)) > 0`,
  },
}

const UNEQUAL = new Set(['xml', 'point', 'polygon', 'box', 'path'])
