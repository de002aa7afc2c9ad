import { type Dialect, limitOffset } from '../dialect.ts'
import { catalog } from './catalog.ts'
import { joining } from './joining.ts'
import { plan } from './plan.ts'
import { rules } from './rules.ts'

// A backslash escapes there, and the guard reads no name with one.
const quote = (identifier: string) =>
  `\`${identifier.replace(/\\/g, '\\\\').replaceAll('`', '``')}\``

/** ClickHouse, from version 18 on. The schema is that of a URL without a database. */
export const clickhouse: Dialect = {
  name: 'clickhouse',
  title: 'ClickHouse',
  schema: 'default',
  rules,
  catalog,
  joining,
  plan,
  inspectRole: async (ask, by) => (await import('./roles.ts')).inspectRole(ask, by),
  // Without a session of HTTP, it would be gone with its request.
  writes: () => ['create temporary table tidegate_write_trial (n UInt8)'],
  errorPatterns: {
    table: /Table (\S+) does(?:n't| not) exist/,
    column:
      /(?:Missing columns: |Unknown (?:expression )?(?:or function )?identifier:? )['`]?([^'`\s,.]+)/,
    ambiguous: /^[^"']*["']([^"']+)["'] .*ambiguous/is,
  },
  quote,
  qualified: ({ schema, name }) => `${quote(schema)}.${quote(name)}`,
  page: limitOffset,
  placeholder: (n, type) => (type === undefined ? `{p${n}}` : compared(n, inner(type))),
  comparison: {
    comparable: (column) => column,
    bound: (value, type) => (value === null || isNumeric(inner(type)) ? value : String(value)),
    like: (column, placeholder) => `toString(${column}) like ${placeholder}`,
    contains: (column, placeholder) =>
      `positionCaseInsensitiveUTF8(toString(${column}), ${placeholder}) > 0`,
  },
}

/** A type without what only says how it is stored: `Nullable(X)` and `LowCardinality(X)` are X. */
function inner(type: string): string {
  const [, of] = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type) ?? []
  return of === undefined ? type : inner(of)
}

const isNumeric = (type: string) => /^(?:U?Int|Float|BFloat|Decimal|Bool)/.test(type)

/** The placeholder of a value that is compared with a column of this type. */
function compared(n: number, type: string): string {
  // Most types read a text beside them as one of their own. DateTime does not take one with a zone.
  const [time, precision, zone64, zone32] =
    /^DateTime(?:64\((\d)(?:, ('[^']*'))?\)|\(('[^']*')\))?$/.exec(type) ?? []
  const zone = (zone64 ?? zone32) ? `, ${zone64 ?? zone32}` : ''
  if (precision !== undefined) {
    // Digits that the column does not hold make a value unequal, so they must not be cut.
    return `parseDateTime64BestEffort({p${n}}, ${Math.max(6, Number(precision))}${zone})`
  }
  if (time !== undefined) return `parseDateTimeBestEffort({p${n}}${zone})`
  const typed = isNumeric(type) || /^(?:Array|Tuple|Map)\(/.test(type)
  return typed ? `{p${n}:${type}}` : `{p${n}}`
}
