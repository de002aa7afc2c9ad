import type { Catalog } from '../dialect.ts'

/** Users' tables and views, except those that belong to SQLite, to the platform or to a virtual table. */
const readable = `m.type in ('table', 'view')
  and m.name not like 'sqlite\\_%' escape '\\'
  and m.name not like '\\_cf\\_%' escape '\\'
  and m.name not like '\\_\\_miniflare%' escape '\\'
  and m.name not in (select name from pragma_table_list where type = 'shadow')`

/** Tables, views and their indexes, with the statements that created them. */
const made = `from sqlite_schema s
  where s.tbl_name in (select m.name from sqlite_schema m where ${readable})`

const summary = `'main' as schema, m.name as name, m.type as kind, null as comment,
  null as estimate, (select count(*) from pragma_table_xinfo(m.name) where hidden <> 1) as columns`

/** The rows of some pragmas about the requested table. */
const of = (pragmas: string) =>
  `sqlite_schema m join ${pragmas} where m.type in ('table', 'view') and m.name = ?1`

/** The column that a foreign key references. By default, it is the column at the same position in the primary key. */
const target = `coalesce(f."to",
  (select p.name from pragma_table_info(f."table") p where p.pk = f.seq + 1))`

/** Queries about SQLite's tables. SQLite does not store comments or row counts. */
export const catalog: Catalog = {
  // The left join keeps the total on a page that has no tables.
  tables: ({ search = null, names, limit, offset = 0 }) => ({
    sql: `with matching as (
        select m.name from sqlite_schema m
        where ${readable} and (?1 is null or instr(lower(m.name), lower(?1)) > 0
          or exists (select 1 from pragma_table_xinfo(m.name) c
            where c.hidden <> 1 and instr(lower(c.name), lower(?4)) > 0)))
      select (select count(*) from matching), page.*
      from (select 1)
      left join (select ${summary} from sqlite_schema m
        where m.type in ('table', 'view') and m.name in (select name from matching)
        order by m.name limit ?2 offset ?3) page on true`,
    // If ?4 is NULL, column names are not searched.
    params: [search, limit, offset, names ? null : search],
  }),

  find: (name) => ({
    shape: { width: 7, order: [6, 1] },
    sql: `select ${summary},
        case ?1 when 'main.' || m.name then 0 when m.name then 1 else 2 end as rank
      from sqlite_schema m
      where ${readable} and lower(?1) in (lower(m.name), lower('main.' || m.name))
      order by rank, m.name`,
    params: [name],
  }),

  near: (name) => ({
    sql: `select 'main', m.name from sqlite_schema m
      where ${readable} and (abs(length(m.name) - length(?1)) <= 3
        or instr(lower(m.name), lower(?1)) > 0 or instr(lower(?1), lower(m.name)) > 0)
      order by lower(substr(m.name, 1, 1)) = lower(substr(?1, 1, 1)) desc, m.name
      limit 1000`,
    params: [name],
  }),

  columns: (tables) => ({
    shape: { width: 10, order: [1, 9] },
    sql: `select 'main', m.name, c.name, lower(c.type), c."notnull" = 0 and c.pk = 0,
        case when c.hidden in (2, 3) then 'generated' else c.dflt_value end, null, null,
        null, c.cid
      from sqlite_schema m join pragma_table_xinfo(m.name) c
      where m.type in ('table', 'view') and m.name in (${tables.map((_, i) => `?${i + 1}`)})
        and c.hidden <> 1
      order by m.name, c.cid`,
    params: tables.map(({ name }) => name),
  }),

  keys: ({ name }) => ({
    shape: { width: 7, order: [0, 1, 6] },
    sql: `select 'primary' as kind, '' as key, c.name as column, null as schema, null as target,
        null as column_there, c.pk as position
      from ${of('pragma_table_info(m.name) c')} and c.pk > 0
      union all
      select 'unique', i.name, c.name, null, null, null, c.seqno
      from ${of('pragma_index_list(m.name) i join pragma_index_info(i.name) c')} and i.origin = 'u'
      union all
      select 'foreign', f.id, f."from", 'main', f."table", ${target}, f.seq
      from ${of('pragma_foreign_key_list(m.name) f')}
      union all
      select 'referenced', m.name || '.' || f.id, ${target}, 'main', m.name, f."from", f.seq
      from sqlite_schema m join pragma_foreign_key_list(m.name) f
      where ${readable} and f."table" = ?1 collate nocase
      order by kind, key, position`,
    params: [name],
  }),

  indexes: ({ name }) => ({
    shape: { width: 5, order: [0, 4] },
    sql: `select i.name, i."unique", i.partial, coalesce(c.name, '(expression)'), c.seqno
      from ${of('pragma_index_list(m.name) i join pragma_index_info(i.name) c')}
        and i.origin = 'c' order by i.name, c.seqno`,
    params: [name],
  }),

  // Durable Objects refuse a pragma that is not about one table.
  overview: () => ({
    sql: `select 'main', m.name, c.name, lower(c.type), c."notnull" = 0 and c.pk = 0, null, c.pk > 0,
        'main', f."table", iif(f.id is null, null, ${target})
      from sqlite_schema m join pragma_table_xinfo(m.name) c
      left join pragma_foreign_key_list(m.name) f on f."from" = c.name collate nocase
      where ${readable} and c.hidden <> 1
      order by m.name, c.cid`,
  }),

  // The statements that created the schema, because SQLite has no hash function. If rows are cut off, the total length
  // still counts.
  fingerprint: () => ({
    sql: `select count(*), sum(length(s.sql)) ${made} union all select s.name, s.sql ${made}`,
  }),
}
