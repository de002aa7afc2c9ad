import { cut, NAME_CHARS, type Neighbour, type ShownTable } from './shown.ts'

/** Where a box is, and what stands in it. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly name: string
  readonly rows: readonly { readonly name: string; readonly type: string; readonly key: boolean }[]
  readonly chosen?: boolean
}

/** From a table that refers (many rows) to one that is referred to (one row). */
interface Line {
  readonly from: Point
  readonly to: Point
  /** Where it turns. */
  readonly turn: number
}

interface Point {
  readonly x: number
  readonly y: number
  /** The side of its box on which the line arrives, if how many rows are there is drawn. */
  readonly side: 'left' | 'right' | undefined
}

const HEAD = 28
const ROW = 20
const PAD = 6
const GAP = 24
const MAX_ROWS = 8

/**
 * A picture of the tables that foreign keys connect with the chosen one. The wide one has the tables that it refers
 * to on the left and those that refer to it on the right; the narrow one begins with the chosen table.
 */
export const Picture = ({
  table,
  hrefTo,
}: {
  readonly table: ShownTable
  /** Where a table is shown. */
  readonly hrefTo: (table: string) => string | undefined
}) => (
  <>
    <Drawing {...wide(table)} kind="wide" label={labelOf(table)} hrefTo={hrefTo} />
    <Drawing {...narrow(table)} kind="narrow" label={labelOf(table)} hrefTo={hrefTo} />
  </>
)

/** What a screen reader says in place of the picture. The list beside it has every name. */
function labelOf({ foreignKeys, referencedBy }: ShownTable): string {
  const to = new Set(foreignKeys.map((it) => it.table)).size
  const from = new Set(referencedBy.map((it) => it.table)).size
  return `The chosen table, ${to} that it refers to and ${from} that refer to it. The list below names them.`
}

/** The sides of the picture: what the table refers to, and what refers to it. */
function sidesOf({ neighbours, foreignKeys }: ShownTable) {
  const to = new Set(foreignKeys.map((it) => it.table))
  return {
    left: neighbours.filter(({ name }) => to.has(name)),
    right: neighbours.filter(({ name }) => !to.has(name)),
  }
}

function wide(table: ShownTable) {
  const { left, right } = sidesOf(table)
  const width = 200
  // A side without tables takes no room.
  const middleX = left.length > 0 ? 284 : 8
  const xs = { left: 8, middle: middleX, right: middleX + 276 }
  const stack = (all: readonly Neighbour[], x: number) => {
    let y = 8
    return all.map((it) => {
      const box = boxOf(it, keysThere(table, it.name), x, y, width)
      y += heightOf(box) + GAP
      return box
    })
  }
  const lefts = stack(left, xs.left)
  const rights = stack(right, xs.right)
  const middle = chosenBox(table, xs.middle, 8, width)
  const lines = [
    ...linesTo(table, middle, lefts, 'left'),
    ...linesTo(table, middle, rights, 'right'),
    ...loopOf(table, middle),
  ]
  const boxes = [...lefts, middle, ...rights]
  return {
    boxes,
    lines,
    width: middleX + width + (right.length > 0 ? 284 : 32),
    height: bottomOf(boxes),
  }
}

function narrow(table: ShownTable) {
  const { left, right } = sidesOf(table)
  const chosen = chosenBox(table, 8, 8, 264)
  const lines: Line[] = [...loopOf(table, chosen)]
  let y = 8 + heightOf(chosen) + GAP
  const boxes = [...left, ...right].map((it) => {
    const short = { ...it, columns: it.columns.slice(0, 2) }
    const box = boxOf(short, keysThere(table, it.name), 40, y, 232)
    y += heightOf(box) + GAP / 2
    const at = { x: 40, y: box.y + HEAD / 2, side: 'left' } as const
    const trunk = { x: 20, y: 8 + heightOf(chosen), side: undefined }
    const isParent = left.includes(it)
    lines.push({ from: isParent ? trunk : at, to: isParent ? at : trunk, turn: 20 })
    return box
  })
  const all = [chosen, ...boxes]
  return { boxes: all, lines, width: 304, height: bottomOf(all) }
}

const bottomOf = (boxes: readonly Box[]) => Math.max(...boxes.map((it) => it.y + heightOf(it))) + 8

const heightOf = ({ rows }: Pick<Box, 'rows'>) => HEAD + rows.length * ROW + PAD

function boxOf(
  { name, columns, totalColumns }: Neighbour,
  keys: ReadonlySet<string>,
  x: number,
  y: number,
  width: number,
): Box {
  const rows = columns.map((it) => ({ ...it, key: keys.has(it.name) }))
  return { x, y, width, name, rows: withRest(rows, totalColumns) }
}

function chosenBox(table: ShownTable, x: number, y: number, width: number): Box {
  const { columns, foreignKeys, referencedBy, primaryKey, totalColumns } = table
  const keys = new Set([
    ...primaryKey,
    ...foreignKeys.flatMap((it) => it.columns),
    ...referencedBy.flatMap((it) => it.columns),
  ])
  const types = new Map(columns.map((it) => [it.name, it.type]))
  const others = columns.filter(({ name }) => !keys.has(name))
  const rows = [
    ...[...keys].map((name) => ({ name, type: types.get(name) ?? '', key: true })),
    ...others.map(({ name, type }) => ({ name, type, key: false })),
  ].slice(0, MAX_ROWS)
  return { x, y, width, name: table.name, rows: withRest(rows, totalColumns), chosen: true }
}

const withRest = (rows: Box['rows'], total: number): Box['rows'] =>
  rows.length < total
    ? [
        ...rows,
        { name: `${(total - rows.length).toLocaleString('en')} more`, type: '', key: false },
      ]
    : rows

/** The columns of a neighbour by which it is connected. */
const keysThere = ({ foreignKeys, referencedBy }: ShownTable, name: string): ReadonlySet<string> =>
  new Set(
    [...foreignKeys, ...referencedBy]
      .filter((it) => it.table === name)
      .flatMap((it) => it.tableColumns),
  )

/** The height at which a column stands in its box. */
function rowOf({ y, rows }: Box, column: string | undefined): number {
  const at = rows.findIndex((it) => it.key && it.name === column)
  return at < 0 ? y + HEAD / 2 : y + HEAD + at * ROW + ROW / 2 + 1
}

function linesTo(
  { foreignKeys, referencedBy }: ShownTable,
  middle: Box,
  boxes: readonly Box[],
  side: 'left' | 'right',
): Line[] {
  const inner = side === 'left' ? middle.x : middle.x + middle.width
  return boxes.flatMap((box) => {
    const outer = side === 'left' ? box.x + box.width : box.x
    const here = (column: string | undefined): Point => ({
      x: inner,
      y: rowOf(middle, column),
      side,
    })
    const there = (column: string | undefined): Point => ({
      x: outer,
      y: rowOf(box, column),
      side: side === 'left' ? 'right' : 'left',
    })
    const turn = (inner + outer) / 2
    const of = (keys: ShownTable['foreignKeys']) =>
      keys.filter((it) => it.table === box.name).slice(0, MAX_LINES)
    return [
      ...of(foreignKeys).map((it) => ({
        from: here(it.columns[0]),
        to: there(it.tableColumns[0]),
        turn,
      })),
      ...of(referencedBy).map((it) => ({
        from: there(it.tableColumns[0]),
        to: here(it.columns[0]),
        turn,
      })),
    ]
  })
}

/** Lines between two tables: more of them would hide each other. */
const MAX_LINES = 3

/** A table that refers to itself has a loop at its right. */
function loopOf({ name, foreignKeys }: ShownTable, box: Box): Line[] {
  const x = box.x + box.width
  return foreignKeys
    .filter((it) => it.table === name)
    .slice(0, 1)
    .map(({ columns, tableColumns }) => ({
      from: { x, y: rowOf(box, columns[0]), side: 'right' },
      to: { x, y: rowOf(box, tableColumns[0]), side: 'right' },
      turn: x + 22,
    }))
}

const Drawing = ({
  boxes,
  lines,
  width,
  height,
  kind,
  label,
  hrefTo,
}: {
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
  readonly kind: 'wide' | 'narrow'
  readonly label: string
  readonly hrefTo: (table: string) => string | undefined
}) => (
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
        // For a pointer: for the keyboard, the list below has the same links.
        <a href={hrefTo(it.name)} tabindex={-1}>
          <title>{cut(it.name, NAME_CHARS)}</title>
          <rect class="hit" x={it.x} y={it.y} width={it.width} height={heightOf(it)} rx="4" />
        </a>
      ))}
  </svg>
)

/** A line with a foot of three toes where many rows are, and a bar where one is. */
function pathOf({ from, to, turn }: Line): string {
  const out = ({ side }: Point) => (side === 'left' ? -1 : 1)
  const many = out(from) * 10
  const one = out(to) * 8
  return [
    `M${from.x} ${from.y}H${turn}V${to.y}H${to.x}`,
    from.side ? `M${from.x} ${from.y - 6}l${many} 6l${-many} 6` : '',
    to.side ? `M${to.x + one} ${to.y - 6}v12` : '',
  ].join('')
}

/** Characters that fit, at the width of a letter of these fonts. */
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

/** A name that keeps its direction to itself: left to right outside, whatever it is inside. */
const isolated = (text: string) => `\u2068${text}\u2069`
