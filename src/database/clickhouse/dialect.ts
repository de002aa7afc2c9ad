import { type Dialect, limitOffset } from '../dialect.ts'
import { catalog } from './catalog.ts'
import { joining } from './joining.ts'
import { plan } from './plan.ts'
import { rules } from './rules.ts'

// A backslash is an escape in ClickHouse. The guard refuses names that contain one.
const quote = (identifier: string) =>
  `\`${identifier.replace(/\\/g, '\\\\').replaceAll('`', '``')}\``

/** ClickHouse 18 and later. Its schema is the default database, for a URL that does not specify one. */
export const clickhouse: Dialect = {
  name: 'clickhouse',
  title: 'ClickHouse',
  schema: 'default',
  rules,
  catalog,
  joining,
  plan,
  inspectRole: async (ask, by) => (await import('./roles.ts')).inspectRole(ask, by),
  // Without an HTTP session, the table is gone after its request.
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

/** Removes type wrappers that do not affect comparisons: `Nullable(X)` and `LowCardinality(X)` become X. */
function inner(type: string): string {
  const [, of] = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type) ?? []
  return of === undefined ? type : inner(of)
}

const isNumeric = (type: string) => /^(?:U?Int|Float|BFloat|Decimal|Bool)/.test(type)

/** The placeholder for a value that is compared with a column of this type. */
function compared(n: number, type: string): string {
  // Most types convert a string that they are compared with to their own type. DateTime does not accept a string
  // with a zone.
  const [time, precision, zone64, zone32] =
    /^DateTime(?:64\((\d)(?:, ('[^']*'))?\)|\(('[^']*')\))?$/.exec(type) ?? []
  const zone = (zone64 ?? zone32) ? `, ${zone64 ?? zone32}` : ''
  if (precision !== undefined) {
    // Digits that the column cannot store make the value unequal, so they must not be cut off.
    return `parseDateTime64BestEffort({p${n}}, ${Math.max(6, Number(precision))}${zone})`
  }
  if (time !== undefined) return `parseDateTimeBestEffort({p${n}}${zone})`
  const typed = isNumeric(type) || /^(?:Array|Tuple|Map)\(/.test(type)
  return typed ? `{p${n}:${type}}` : `{p${n}}`
}
