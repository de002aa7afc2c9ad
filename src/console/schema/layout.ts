import { grouped } from '../parts/texts.ts'
import type { Neighbour, ShownTable } from './shown.ts'

/** Position and content of a box. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly name: string
  readonly rows: readonly { readonly name: string; readonly type: string; readonly key: boolean }[]
  readonly chosen?: boolean
}

/** Line from the referring table (many rows) to the referenced one (one row). */
export interface RelationLine {
  readonly from: Point
  readonly to: Point
  /** X position of its bend. */
  readonly turn: number
}

export interface Point {
  readonly x: number
  readonly y: number
  /** Side of the box where the line ends. Undefined: no mark for the number of rows. */
  readonly side: 'left' | 'right' | undefined
}

/** Heights of the head of a box and of a row in it. */
export const HEAD = 28
export const ROW = 20
const PAD = 6
const GAP = 24
const MAX_ROWS = 8

/** Sides of the drawing: referenced tables on the left, referring tables on the right. */
function sidesOf({ neighbours, foreignKeys }: ShownTable) {
  const to = new Set(foreignKeys.map((it) => it.table))
  return {
    left: neighbours.filter(({ name }) => to.has(name)),
    right: neighbours.filter(({ name }) => !to.has(name)),
  }
}

/** The wide drawing: the selected table in the middle. */
export function wide(table: ShownTable) {
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

/** The narrow drawing: the selected table first, the others below it. */
export function narrow(table: ShownTable) {
  const { left, right } = sidesOf(table)
  const chosen = chosenBox(table, 8, 8, 264)
  const lines: RelationLine[] = [...loopOf(table, chosen)]
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

/** Height of a box. */
export const heightOf = ({ rows }: Pick<Box, 'rows'>) => HEAD + rows.length * ROW + PAD

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
    ? [...rows, { name: `${grouped(total - rows.length)} more`, type: '', key: false }]
    : rows

/** Columns that connect a neighbor. */
const keysThere = ({ foreignKeys, referencedBy }: ShownTable, name: string): ReadonlySet<string> =>
  new Set(
    [...foreignKeys, ...referencedBy]
      .filter((it) => it.table === name)
      .flatMap((it) => it.tableColumns),
  )

/** Y position of a column in its box. */
function rowOf({ y, rows }: Box, column: string | undefined): number {
  const at = rows.findIndex((it) => it.key && it.name === column)
  return at < 0 ? y + HEAD / 2 : y + HEAD + at * ROW + ROW / 2 + 1
}

function linesTo(
  { foreignKeys, referencedBy }: ShownTable,
  middle: Box,
  boxes: readonly Box[],
  side: 'left' | 'right',
): RelationLine[] {
  const inner = side === 'left' ? middle.x : middle.x + middle.width
  return boxes.flatMap((box) => {
    const outer = side === 'left' ? box.x + box.width : box.x
    const turn = (inner + outer) / 2
    const ends = (keys: ShownTable['foreignKeys']) =>
      keys
        .filter((it) => it.table === box.name)
        .slice(0, MAX_LINES)
        .map(({ columns, tableColumns }): [here: Point, there: Point] => [
          { x: inner, y: rowOf(middle, columns[0]), side },
          { x: outer, y: rowOf(box, tableColumns[0]), side: side === 'left' ? 'right' : 'left' },
        ])
    return [
      ...ends(foreignKeys).map(([from, to]) => ({ from, to, turn })),
      ...ends(referencedBy).map(([to, from]) => ({ from, to, turn })),
    ]
  })
}

/** Maximum number of lines between two tables. More would hide each other. */
const MAX_LINES = 3

/** Loop on the right of a table that references itself. */
function loopOf({ name, foreignKeys }: ShownTable, box: Box): RelationLine[] {
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
