/** A schema as the API shows it: see `/api/endpoints/{name}/schema`. */
export interface SchemaPage {
  readonly dialect: string
  readonly tables: readonly ListedTable[]
  readonly total: number
  readonly next?: number
  /** Entries of the glossary without a table. */
  readonly gone?: readonly string[]
}

export interface ListedTable {
  readonly name: string
  readonly kind: string
  readonly estimatedRows?: number
  readonly columns: number
  readonly described: boolean
  readonly describedColumns: number
}

/** One table, with the words of the database and of a person. */
export interface ShownTable {
  readonly name: string
  /** The name of its entry in the glossary, if it may have one. */
  readonly entry?: string
  readonly kind: string
  readonly comment?: string
  readonly description?: string
  readonly estimatedRows?: number
  readonly columns: readonly ShownColumn[]
  readonly totalColumns: number
  readonly next?: number
  readonly gone: readonly string[]
  readonly primaryKey: readonly string[]
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly Relation[]
  readonly referencedBy: readonly Relation[]
  readonly relations: number
  readonly indexes: readonly { readonly columns: readonly string[]; readonly unique: boolean }[]
  readonly neighbours: readonly Neighbour[]
  readonly reads: { readonly text: string; readonly tokens: number }
}

export interface ShownColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly default?: string
  readonly values?: readonly string[]
  readonly comment?: string
  readonly description?: string
}

/** Columns here, and those of another table that they equal. */
export interface Relation {
  readonly columns: readonly string[]
  readonly table: string
  readonly tableColumns: readonly string[]
}

export interface Neighbour {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly totalColumns: number
}

/** What a person says of tables: the field `glossary` of a database. */
export type Glossary = Readonly<
  Record<
    string,
    {
      readonly description?: string
      readonly columns?: Readonly<Record<string, string>>
    }
  >
>

/** Whether an entry says anything: one whose words were all removed is still there. */
export const speaks = ({ description, columns = {} }: Glossary[string]): boolean =>
  description !== undefined || Object.keys(columns).length > 0

/** A text of at most so many characters. A pair of surrogates is not split. */
export const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`

/** Characters of a name that a page shows. */
export const NAME_CHARS = 80

/** `1 table`, `5,000 tables`. */
export const counted = (n: number, thing: string): string =>
  `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`

const encoder = new TextEncoder()

/** Bytes of a text in a page: what HTML reads as a sign of its own takes up to six. */
export const pageBytes = (text = ''): number =>
  encoder.encode(text).byteLength + 5 * (text.match(/["&'<>]/g)?.length ?? 0)

/** The first items that fit into so many bytes of a page: one at least. */
export function fitting<Item>(
  items: readonly Item[],
  most: number,
  bytesOf: (item: Item) => number,
): readonly Item[] {
  let bytes = 0
  const past = items.findIndex((it) => {
    bytes += bytesOf(it)
    return bytes > most
  })
  return past < 0 ? items : items.slice(0, Math.max(1, past))
}
