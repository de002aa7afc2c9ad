import { type ObjectNamespace, ToolError } from 'tidegate/mcp'
import {
  EXISTS,
  type Found,
  MAX_EXCERPT,
  MISSING,
  type Note,
  type Query,
  type Vault,
  type Writing,
} from './vault.ts'

/** The vault in a Durable Object, one for all callers. */
export function stored(namespace: ObjectNamespace): Vault {
  const ask = async (method: keyof Vault, argument: unknown) => {
    const object = namespace.get(namespace.idFromName('vault'))
    const body = JSON.stringify([method, argument])
    return (await object.fetch(new Request('https://notes/', { method: 'POST', body }))).json()
  }
  const change = async (method: keyof Vault, argument: unknown) => {
    const refusal = await ask(method, argument)
    if (refusal !== null) throw new ToolError(String(refusal))
  }
  return {
    find: async (query) => (await ask('find', query)) as Found,
    read: async (name) => (await ask('read', name)) as string | null,
    write: (note) => change('write', note),
    remove: (name) => change('remove', name),
  }
}

/** Maximum number of characters of a note: with up to 3 bytes each, they fit into a row of 2 MB. */
const MAX_CHARS = 500_000
const FULL = `A note has at most ${MAX_CHARS} characters: start another one.`

const NOTES =
  'create table if not exists notes (id integer primary key, name text not null unique, changed integer not null, tags text not null)'
const TEXTS = 'create virtual table if not exists texts using fts5(name, text)'

/** The Durable Object: notes in a table, and their words in an FTS5 index (sqlite.org/fts5.html). */
export class Notes {
  readonly #storage: DurableObjectStorage

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage
    this.#run(NOTES)
    this.#run(TEXTS)
  }

  async fetch(request: Request): Promise<Response> {
    const [method, argument] = (await request.json()) as [keyof Vault, never]
    return Response.json(this[method](argument))
  }

  find({ words, recent = false, tag = '', begun = '', offset = 0, limit }: Query): Found {
    if (words !== undefined) return this.#search(words, limit)
    const rows = this.#run(
      `select name, changed, tags, count(*) over () as total from notes
      where instr(lower(name), lower(?1)) = 1
      and (?2 = '' or exists (select 1 from json_each(tags) where instr(value || '/', ?2 || '/') = 1))
      order by iif(?3, -changed, 0), name limit ?4 offset ?5`,
      ...[begun, tag, Number(recent), limit, offset],
    )
    return { notes: rows.map(noteOf), total: Number(rows[0]?.total ?? 0) }
  }

  read(name: string): string | null {
    const sql = 'select text from notes join texts on texts.rowid = id where notes.name = ?'
    const [row] = this.#run(sql, name)
    return row ? String(row.text) : null
  }

  /** Returns null, or the reason why nothing was written. */
  write({ name, text, how }: Writing): string | null {
    const before = this.read(name)
    if (before === null && how !== 'create') return MISSING
    if (before !== null && how === 'create') return EXISTS
    const whole = how === 'append' ? `${before}${before?.endsWith('\n') ? '' : '\n'}${text}` : text
    if (whole.length > MAX_CHARS) return FULL
    this.#storage.transactionSync(() => {
      // No two changes have the same time, so their order is clear.
      const [row] = this.#run(
        `insert into notes (name, tags, changed)
        values (?, ?, max(?, (select coalesce(max(changed), 0) + 1 from notes)))
        on conflict (name) do update set tags = excluded.tags, changed = excluded.changed
        returning id`,
        ...[name, JSON.stringify(tagsIn(whole)), Date.now()],
      )
      const index = 'insert or replace into texts (rowid, name, text) values (?, ?, ?)'
      this.#run(index, row?.id, name, whole)
    })
    return null
  }

  /** Returns null, or the reason why nothing was deleted. */
  remove(name: string): string | null {
    return this.#storage.transactionSync(() => {
      const [row] = this.#run('delete from notes where name = ? returning id', name)
      if (row) this.#run('delete from texts where rowid = ?', row.id)
      return row ? null : MISSING
    })
  }

  #search(words: string, limit: number): Found {
    // Only letters and digits, in quotes, so nothing is syntax. The star matches words with this beginning.
    const terms = words.match(/[\p{L}\p{M}\p{N}]+/gu)?.map((it) => `"${it}"*`)
    if (!terms) return { notes: [], total: 0 }
    const query = terms.join(' ')
    const rows = this.#run(
      `select notes.name, changed, tags, snippet(texts, 1, '', '', '…', 24) as excerpt
      from texts join notes on id = texts.rowid where texts match ? order by rank limit ?`,
      ...[query, limit],
    )
    const [count] = this.#run('select count(*) as total from texts where texts match ?', query)
    return { notes: rows.map(noteOf), total: Number(count?.total) }
  }

  #run(sql: string, ...values: unknown[]) {
    return this.#storage.sql.exec(sql, ...values).toArray()
  }
}

const noteOf = ({ name, changed, tags, excerpt }: Record<string, unknown>): Note => ({
  name: String(name),
  changed: new Date(Number(changed)).toISOString(),
  tags: JSON.parse(String(tags)) as string[],
  ...(excerpt !== undefined && { excerpt: String(excerpt).slice(0, MAX_EXCERPT) }),
})

/** The first tags in a text, such as `#garden/roses`. As in Obsidian, a tag has a letter. */
const tagsIn = (text: string): string[] => {
  const found = text.matchAll(/(?<=^|\s)#(?=[\d/_-]*\p{L})([\p{L}\p{M}\p{N}/_-]{1,100})/gu)
  return [...new Set([...found].map(([, tag = '']) => tag.toLowerCase()))].slice(0, MAX_TAGS)
}

const MAX_TAGS = 50
