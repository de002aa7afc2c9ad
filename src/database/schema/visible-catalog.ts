import type { Database } from '../database.ts'
import type { Catalog, Page, TableName } from '../dialect.ts'
import type { Cell, Statement, TimeLimits } from '../rows.ts'
import { allTables, CATALOG_LIMITS, columnsOf } from './catalog.ts'
import { type CatalogAnswer, ownQuestions } from './own-question.ts'
import { keyOf } from './table-name.ts'
import { shows, type Visibility } from './visible-tables.ts'

type Row = readonly Cell[]

const { question, answered } = ownQuestions()

/** The answer to a question of a visible catalog; undefined for any other statement. */
export { answered }

/** How many columns are searched for a word, and how many one statement asks for. */
const MAX_SEARCHED_COLUMNS = 40_000
const COLUMNS_AT_ONCE = 4_000

/** A table, as the rows of the catalog have it. */
interface Found extends TableName {
  readonly row: Row
  readonly width: number
}

/**
 * A catalog in which only what is visible exists. It reads the catalog of the database and leaves out the
 * rest here, so that no count, no search and no similar name tells of it.
 */
export function visibleCatalog(database: Database, visibility: Visibility): Catalog {
  const { catalog } = database.dialect

  const ask = (statement: Statement, limits: TimeLimits) =>
    database.query({ ...statement, internal: true }, { ...limits, ...CATALOG_LIMITS })

  /** The visible columns of visible tables. */
  async function columns(tables: readonly TableName[], limits: TimeLimits) {
    const all = await columnsOf(database, tables, limits)
    return tables.map((table, i) => {
      const visible = visibility(table)
      return all[i]!.filter(([name]) => shows(visible, String(name))).map(withoutExpression)
    })
  }

  /** The same, of any number of tables, as long as they are not too many columns. */
  async function columnsInParts(tables: readonly Found[], limits: TimeLimits) {
    const found: (readonly Row[])[] = []
    let part: Found[] = []
    let [width, total] = [0, 0]
    const read = async () => {
      found.push(...(await columns(part, limits)))
      part = []
      width = 0
    }
    for (const table of tables) {
      total += table.width
      if (total > MAX_SEARCHED_COLUMNS) break
      if (part.length > 0 && width + table.width > COLUMNS_AT_ONCE) await read()
      part.push(table)
      width += table.width
    }
    await read()
    return tables.map((_, i) => found[i] ?? [])
  }

  /** Of rows that begin with schema and name, those of visible tables, with the number of visible columns. */
  async function visibleRows(rows: readonly Row[], limits: TimeLimits): Promise<readonly Found[]> {
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

  async function tables(limits: TimeLimits): Promise<readonly Found[]> {
    const all = await allTables(database, limits)
    const rows = all.map(({ schema, name, kind, comment, estimatedRows, columnCount }) => [
      ...[schema, name, kind, comment ?? null, estimatedRows ?? null, columnCount],
    ])
    return visibleRows(rows, limits)
  }

  async function matching({ search, names }: Page, limits: TimeLimits) {
    const all = await tables(limits)
    if (!search) return all
    const wanted = search.toLowerCase()
    const holds = (text: Cell | undefined) =>
      String(text ?? '')
        .toLowerCase()
        .includes(wanted)
    const named = (it: Found) => holds(it.name) || holds(`${it.schema}.${it.name}`)
    if (names) return all.filter(named)
    const columns = await columnsInParts(all, limits)
    return all.filter(
      (it, i) =>
        holds(it.name) ||
        holds(it.row[COMMENT]) ||
        columns[i]!.some(([name, , , , comment]) => holds(name) || holds(comment)),
    )
  }

  /** Rows of the overview, without columns and references that are hidden. */
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
        return rows.filter(([schema, table]) => seen(schema, table) !== undefined)
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
        return whole(
          rows,
          ([kind, key, , schema, name]) => [kind, key, schema, name],
          (row) => {
            const [kind, , column, schema, name, there] = row
            if (!shows(visible, String(column))) return false
            const refers = kind === 'foreign' || kind === 'referenced'
            return !refers || shows(seen(schema, name), String(there))
          },
        )
      }),

    // An index may hold columns that it does not list, and its name and its condition may speak of them.
    indexes: (table) =>
      question(async (limits) =>
        visibility(table) === true ? (await ask(catalog.indexes(table), limits)).rows : [],
      ),

    overview: () => question(overview),

    // What is hidden may change, and nobody hears of it.
    fingerprint: () =>
      question(async (limits) => {
        const [{ rows }, all] = await Promise.all([overview(limits), tables(limits)])
        const kinds = all.map(({ row: [schema, name, kind, comment] }) => [
          schema!,
          name!,
          kind!,
          comment!,
        ])
        return [...rows, ...kinds]
      }),
  }
}

/** Where the rows of the catalog have these; see `catalog.ts`. */
const COMMENT = 3
const COLUMN_COUNT = 5
const REFERENCE = 7
const EXPRESSION = 3

/** The rows of groups in which every row passes. */
function whole(
  rows: readonly Row[],
  groupOf: (row: Row) => unknown,
  passes: (row: Row) => boolean,
): readonly Row[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(groupOf(row)))
  return [...groups.values()].filter((it) => it.every(passes)).flat()
}

/** A column whose default names nothing: functions, sequences and other columns may be hidden. */
function withoutExpression(row: Row): Row {
  const expression = row[EXPRESSION]
  if (typeof expression !== 'string' || NAMES_NOTHING.test(expression)) return row
  return row.with(EXPRESSION, expression.startsWith('generated') ? 'generated' : null)
}

/** A literal, perhaps with its type, or the current time. */
const NAMES_NOTHING =
  /^(?:-?[\d.]{1,40}|'[^'\\]*'(?:::[a-z ]{1,30})?|null|true|false|auto_increment|generated(?: as identity)?|now\(\)|current_(?:timestamp|date|time)(?:\(\d?\))?)$/i
