import type { Database } from '../database.ts'
import type { Catalog, CatalogPage, TableName } from '../dialect.ts'
import type { Cell, Statement, TimeLimits } from '../rows.ts'
import { allTables, askCatalog, columnsOf } from './catalog.ts'
import type { CatalogRow } from './catalog-rows.ts'
import { type CatalogAnswer, ownQuestions } from './own-question.ts'
import { keyOf } from './table-name.ts'
import { shows, type Visibility } from './visible-tables.ts'

/** The questions to a visible catalog, and their answers. */
export const { question, answered } = ownQuestions()

/** Maximum number of columns read by one statement, unless a single table has more, and by one search. */
const COLUMNS_AT_ONCE = 3_400
const COLUMNS_IN_ALL = 40_000

/** A table as it appears in catalog rows. */
interface FoundTable extends TableName {
  readonly row: CatalogRow
  readonly width: number
}

/**
 * A catalog that contains only visible tables and columns. It reads the database's catalog and filters it
 * here, so that no count, search or similar name reveals anything hidden.
 */
export function visibleCatalog(database: Database, visibility: Visibility): Catalog {
  const { catalog } = database.dialect

  const ask = (statement: Statement, limits: TimeLimits) => askCatalog(database, statement, limits)

  /** Reads the visible columns of visible tables. */
  async function columns(tables: readonly TableName[], limits: TimeLimits) {
    const all = await columnsOf(database, tables, limits)
    return tables.map((table, i) => {
      const visible = visibility(table)
      return all[i]!.filter(([name]) => shows(visible, String(name))).map(withoutExpression)
    })
  }

  /** Reads the visible columns of any number of tables, unless they have too many columns. */
  async function columnsInParts(tables: readonly FoundTable[], limits: TimeLimits) {
    let [total, room] = [0, 0]
    const parts: FoundTable[][] = []
    for (const table of tables) {
      total += table.width
      room -= table.width
      if (total > COLUMNS_IN_ALL) break
      if (room < 0 || parts.length === 0) {
        room = COLUMNS_AT_ONCE - table.width
        parts.push([])
      }
      parts.at(-1)!.push(table)
    }
    const found: (readonly CatalogRow[])[] = []
    for (const part of parts) found.push(...(await columns(part, limits)))
    return tables.map((_, i) => found[i] ?? [])
  }

  /** Filters rows that begin with schema and name to visible tables, and sets the number of visible columns. */
  async function visibleRows(
    rows: readonly CatalogRow[],
    limits: TimeLimits,
  ): Promise<readonly FoundTable[]> {
    const found = rows
      .map((row) => ({
        schema: String(row[0]),
        name: String(row[1]),
        row,
        width: Number(row[COLUMN_COUNT]),
      }))
      .filter((it) => visibility(it) !== undefined)
    const partial = found.filter((it) => visibility(it) !== true)
    const known = await columnsInParts(partial, limits)
    const widths = new Map(partial.map((it, i) => [keyOf(it), known[i]!.length]))
    return found
      .map((it) => {
        const width = widths.get(keyOf(it)) ?? it.width
        return { ...it, width, row: it.row.with(COLUMN_COUNT, width) }
      })
      .filter((it) => it.width > 0)
  }

  async function tables(limits: TimeLimits): Promise<readonly FoundTable[]> {
    const all = await allTables(database, limits)
    const rows = all.map(({ schema, name, kind, comment, estimatedRows, columnCount }) => [
      ...[schema, name, kind, comment ?? null, estimatedRows ?? null, columnCount],
    ])
    return visibleRows(rows, limits)
  }

  async function matching({ search, names }: CatalogPage, limits: TimeLimits) {
    const all = await tables(limits)
    if (!search) return all
    const wanted = search.toLowerCase()
    const holds = (text: Cell | undefined) => `${text ?? ''}`.toLowerCase().includes(wanted)
    const named = (it: FoundTable) => holds(it.name) || holds(`${it.schema}.${it.name}`)
    if (names) return all.filter(named)
    const columns = await columnsInParts(all, limits)
    return all.filter(
      (it, i) =>
        holds(it.name) ||
        holds(it.row[COMMENT]) ||
        columns[i]!.some(([name, , , , comment]) => holds(name) || holds(comment)),
    )
  }

  /** Overview rows without hidden columns and references. */
  async function overview(limits: TimeLimits): Promise<CatalogAnswer> {
    const { rows, truncated } = await ask(catalog.overview(), limits)
    const visible = rows
      .filter(([schema, name, column]) => shows(seen(schema, name), String(column)))
      .map((row) => {
        const [schema, name, column] = row.slice(REFERENCE)
        return shows(seen(schema, name), String(column))
          ? row
          : row.slice(0, REFERENCE).concat([null, null, null])
      })
    return { rows: visible, truncated }
  }

  const seen = (schema: Cell | undefined, name: Cell | undefined) =>
    visibility({ schema: String(schema), name: String(name) })

  return {
    tables: (page) =>
      question(async (limits) => {
        const all = await matching(page, limits)
        const { offset = 0, limit } = page
        const shown = all.slice(offset, offset + limit).map(({ row }) => [all.length, ...row])
        return shown.length > 0 ? shown : [[all.length, null, null, null, null, null, null]]
      }),

    find: (name) =>
      question(async (limits) => {
        const { rows } = await ask(catalog.find(name), limits)
        return (await visibleRows(rows, limits)).map(({ row }) => row)
      }),

    near: (name) =>
      question(async (limits) => {
        const { rows } = await ask(catalog.near(name), limits)
        const tables = rows.map(([schema, table]) => ({
          schema: String(schema),
          name: String(table),
        }))
        // A table without a visible column is in no list, so no hint mentions it.
        const partial = tables.filter(
          (it) => visibility(it) !== true && visibility(it) !== undefined,
        )
        const known = await columns(partial, limits)
        const shown = new Set(partial.filter((_, i) => known[i]!.length > 0))
        return rows.filter((_, i) => visibility(tables[i]!) === true || shown.has(tables[i]!))
      }),

    columns: (tables) =>
      question(async (limits) => {
        const visible = tables.filter((it) => visibility(it) !== undefined)
        const found = await columns(visible, limits)
        return visible.flatMap(({ schema, name }, i) =>
          found[i]!.map((row) => [schema, name, ...row]),
        )
      }),

    keys: (table) =>
      question(async (limits) => {
        const visible = visibility(table)
        if (visible === undefined) return []
        const { rows } = await ask(catalog.keys(table), limits)
        const keys = Map.groupBy(rows, ([kind, key, , schema, name]) =>
          JSON.stringify([kind, key, schema, name]),
        )
        const showsAll = ([kind, , column, schema, name, there]: CatalogRow) => {
          if (!shows(visible, String(column))) return false
          const refers = kind === 'foreign' || kind === 'referenced'
          return !refers || shows(seen(schema, name), String(there))
        }
        return [...keys.values()].filter((it) => it.every(showsAll)).flat()
      }),

    // An index can contain columns that it does not list, and its name and condition can mention them.
    indexes: (table) =>
      question(async (limits) =>
        visibility(table) === true ? (await ask(catalog.indexes(table), limits)).rows : [],
      ),

    overview: () => question(overview),

    // Changes to hidden tables and columns must not show here.
    fingerprint: () =>
      question(async (limits) => {
        const [{ rows }, all] = await Promise.all([overview(limits), tables(limits)])
        return [...rows, ...all.map(({ row }) => row.slice(0, COMMENT + 1))]
      }),
  }
}

/** Positions of these cells in catalog rows; see `catalog-rows.ts`. */
const COMMENT = 3
const COLUMN_COUNT = 5
const REFERENCE = 7
const EXPRESSION = 3

/** A column row without any default that refers to functions, sequences or columns, because those can be hidden. */
function withoutExpression(row: CatalogRow): CatalogRow {
  const expression = row[EXPRESSION]
  if (typeof expression !== 'string' || NAMES_NOTHING.test(expression)) return row
  return row.with(EXPRESSION, expression.startsWith('generated') ? 'generated' : null)
}

/** Matches a literal, with or without a type, or the current time. */
const NAMES_NOTHING =
  /^(?:-?[\d.]{1,40}|'[^'\\]*'(?:::[a-z ]{1,30})?|null|true|false|auto_increment|generated(?: as identity)?|now\(\)|current_(?:timestamp|date|time)(?:\(\d?\))?)$/i
