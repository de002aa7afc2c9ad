import type { FC } from 'hono/jsx'
import { cut } from '../parts/texts.ts'
import {
  type Box,
  HEAD,
  heightOf,
  narrow,
  type Point,
  type RelationLine,
  ROW,
  wide,
} from './layout.ts'
import { NAME_CHARS, type ShownTable } from './shown.ts'

/**
 * Drawing of the tables that foreign keys connect with the selected one. The wide drawing has referenced tables on the
 * left and referring tables on the right. The narrow one starts with the selected table.
 */
export const Picture: FC<{
  readonly table: ShownTable
  /** Link to a table. */
  readonly hrefTo: (table: string) => string | undefined
}> = ({ table, hrefTo }) => (
  <>
    <Drawing {...wide(table)} kind="wide" label={labelOf(table)} hrefTo={hrefTo} />
    <Drawing {...narrow(table)} kind="narrow" label={labelOf(table)} hrefTo={hrefTo} />
  </>
)

/** Description of the drawing for a screen reader. The list below has every name. */
function labelOf({ foreignKeys, referencedBy }: ShownTable): string {
  const to = new Set(foreignKeys.map((it) => it.table)).size
  const from = new Set(referencedBy.map((it) => it.table)).size
  return `The selected table, ${to} that it references and ${from} that reference it. The list below names them.`
}

const Drawing: FC<
  ReturnType<typeof wide> & {
    readonly kind: 'wide' | 'narrow'
    readonly label: string
    readonly hrefTo: (table: string) => string | undefined
  }
> = ({ boxes, lines, width, height, kind, label, hrefTo }) => (
  <svg class={`draw ${kind}`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
    <title>Relationships</title>
    <svg role="img" aria-label={label}>
      {lines.map((it) => (
        <path class="line" d={pathOf(it)} />
      ))}
      {boxes.map((it) => (
        <BoxDrawn {...it} />
      ))}
    </svg>
    {boxes
      .filter(({ chosen }) => !chosen)
      .map((it) => (
        // For pointers only. Keyboards use the same links in the list below.
        <a href={hrefTo(it.name)} tabindex={-1}>
          <title>{cut(it.name, NAME_CHARS)}</title>
          <rect class="hit" x={it.x} y={it.y} width={it.width} height={heightOf(it)} rx="4" />
        </a>
      ))}
  </svg>
)

/** Path of a line: a crow's foot at the end with many rows, a bar at the end with one. */
function pathOf({ from, to, turn }: RelationLine): string {
  const out = ({ side }: Point) => (side === 'left' ? -1 : 1)
  const many = out(from) * 10
  const one = out(to) * 8
  return [
    `M${from.x} ${from.y}H${turn}V${to.y}H${to.x}`,
    from.side ? `M${from.x} ${from.y - 6}l${many} 6l${-many} 6` : '',
    to.side ? `M${to.x + one} ${to.y - 6}v12` : '',
  ].join('')
}

/** Number of characters that fit, from the letter width of the fonts. */
const nameChars = (width: number) => Math.floor((width - 24) / 8)
const columnChars = (width: number) => Math.floor((width - 24) / 7.3)

const BoxDrawn = ({ x, y, width, name, rows, chosen = false }: Box) => (
  <g>
    <rect
      class={chosen ? 'box chosen' : 'box'}
      x={x}
      y={y}
      width={width}
      height={heightOf({ rows })}
      rx="4"
    />
    {chosen && (
      <path
        class="title"
        d={`M${x + 1} ${y + HEAD}V${y + 5}q0-4 4-4h${width - 10}q4 0 4 4v${HEAD - 5}z`}
      />
    )}
    <text class="name" x={x + 12} y={y + 19}>
      {isolated(cut(name, nameChars(width)))}
    </text>
    <path class="line rule" d={`M${x} ${y + HEAD}h${width}`} />
    {rows.map((it, i) => {
      const at = y + HEAD + i * ROW + 19 - 1
      const column = cut(it.name, columnChars(width) - 4)
      const type = cut(it.type, Math.max(0, columnChars(width) - column.length - 2))
      return (
        <>
          <text class={it.key ? 'col key' : 'col'} x={x + 12} y={at}>
            {isolated(column)}
          </text>
          {type.length > 3 && (
            <text class="col" x={x + width - 12} y={at} text-anchor="end">
              {isolated(type)}
            </text>
          )}
        </>
      )
    })}
  </g>
)

/** Isolates a name's text direction from the text around it. */
const isolated = (text: string) => `\u2068${text}\u2069`
