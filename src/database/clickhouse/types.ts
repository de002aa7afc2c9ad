/** The written form of a type's values: single values, or lists, records and maps of other values. */
export type ClickHouseShape =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'array'; readonly of: ClickHouseShape }
  | {
      readonly kind: 'tuple'
      readonly of: readonly ClickHouseShape[]
      readonly names: readonly string[] | undefined
    }
  | { readonly kind: 'map'; readonly key: ClickHouseShape; readonly value: ClickHouseShape }

/** Parses a type name: `Array(Tuple(a UInt8, b Nullable(String)))`. */
export function shapeOf(type: string): ClickHouseShape {
  const [, name, inside = ''] = /^(\w+)\((.*)\)$/s.exec(type) ?? []
  switch (name) {
    case 'Nullable':
    case 'LowCardinality':
      return shapeOf(inside)
    case 'SimpleAggregateFunction':
      return shapeOf(split(inside).at(-1)!)
    case 'Decimal':
      return { kind: 'scalar', type: inside.endsWith(' 0') ? 'Int256' : name }
    case 'Array':
      return { kind: 'array', of: shapeOf(inside) }
    case 'Nested':
      return { kind: 'array', of: tuple(inside) }
    case 'Tuple':
      return tuple(inside)
    case 'Map': {
      const [key = '', value = ''] = split(inside)
      return { kind: 'map', key: shapeOf(key), value: shapeOf(value) }
    }
    default:
      return { kind: 'scalar', type: name ?? type }
  }
}

function tuple(inside: string): ClickHouseShape {
  const elements = split(inside).map((element) => {
    const [, name, type] = /^(`(?:[^`\\]|\\.)*`|[A-Za-z_]\w*) (.+)$/s.exec(element) ?? []
    return { name: name?.replace(/^`|`$|\\(?=.)/g, ''), type: type ?? element }
  })
  const names = elements.flatMap(({ name }) => (name === undefined ? [] : [name]))
  return {
    kind: 'tuple',
    of: elements.map(({ type }) => shapeOf(type)),
    names: names.length > 0 && new Set(names).size === elements.length ? names : undefined,
  }
}

/** Splits a list at its commas, except commas in quotes or parentheses. */
function split(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  let quote = ''
  for (let i = 0; i < list.length; i++) {
    const sign = list[i]!
    if (quote && sign === '\\') i++
    else if (quote) quote = sign === quote ? '' : quote
    else if (sign === "'" || sign === '`') quote = sign
    else if (sign === '(') depth++
    else if (sign === ')') depth--
    else if (sign === ',' && depth <= 0) {
      parts.push(list.slice(start, i).trim())
      start = i + 1
    }
  }
  const last = list.slice(start).trim()
  return last ? [...parts, last] : parts
}
