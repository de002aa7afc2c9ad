import type { Catalog, TableName } from '../dialect.ts'

/** The relations and columns that the role can read, except system relations. */
const readable = `n.nspname !~ '^(pg_|information_schema$)'
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')`
const live = `a.attnum > 0 and not a.attisdropped
  and has_column_privilege(a.attrelid, a.attnum, 'select')`

const relations = `pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace`

/** Replaces obj_description() and col_description(), whose bodies would be parsed again when they run. */
const comment = (of: string, column = '0') => `(select d.description
  from pg_catalog.pg_description d where d.objoid = ${of}.oid and d.objsubid = ${column}
    and d.classoid = 'pg_catalog.pg_class'::regclass)`

// Before version 14, a table whose rows were never counted has 0 rows on 0 pages, just like an empty table.
const summary = `n.nspname, c.relname,
  case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
    when 'f' then 'foreign table' else 'table' end,
  ${comment('c')},
  case when c.relkind in ('r', 'p', 'm') and (c.reltuples > 0 or c.reltuples = 0
    and (c.relpages > 0 or current_setting('server_version_num')::int >= 140000))
    then c.reltuples::bigint end,
  (select count(*) from pg_catalog.pg_attribute a where a.attrelid = c.oid and ${live})`

const one = `(select c.oid from ${relations} where n.nspname = $1 and c.relname = $2)`
const named = ({ schema, name }: TableName) => [schema, name]

// Names have a collation that only lowercases ASCII.
const collated = ' collate "default"'

const holds = (text: string) => `strpos(lower(${text}), lower($1)) > 0`

const found = `${holds('c.relname')} or ${holds(comment('c'))}
  or exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and ${live}
    and (${holds('a.attname')} or ${holds(comment('c', 'a.attnum'))}))`

/** True if a column can be NULL. Its domain, or a domain on which that domain is based, can forbid NULL. */
const nullable = `not (a.attnotnull or a.atttypid in (with recursive solid as (
    select t.oid from pg_catalog.pg_type t where t.typtype = 'd' and t.typnotnull
    union select t.oid from pg_catalog.pg_type t join solid on t.typbasetype = solid.oid)
  select solid.oid from solid))`

/**
 * The schema of a column type's operators, if they come from an extension. These are the operators in the type's
 * default ordering, which only a superuser can define.
 */
const operators = `(with recursive base as (
    select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid
    union select t.oid, t.typbasetype from pg_catalog.pg_type t join base on t.oid = base.typbasetype)
  select m.nspname from base
  join pg_catalog.pg_opclass p on p.opcintype = base.oid and p.opcdefault
  join pg_catalog.pg_am x on x.oid = p.opcmethod and x.amname = 'btree'
  join pg_catalog.pg_amop s on s.amopfamily = p.opcfamily and s.amopstrategy = 3
    and s.amoplefttype = base.oid and s.amoprighttype = base.oid
  join pg_catalog.pg_operator o on o.oid = s.amopopr
  join pg_catalog.pg_namespace m on m.oid = o.oprnamespace
  where m.nspname <> 'pg_catalog' and has_schema_privilege(m.oid, 'usage'))`

/** True for a key that a table declares, or inherits as a partition, but not a key for the other table's partitions. */
const ofTable = `not exists (select from pg_catalog.pg_constraint p where p.oid = k.conparentid
  and (p.conrelid = k.conrelid or p.confrelid <> k.confrelid))`

/** The columns of all tables, and the columns they reference. */
const columns = `select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    ${nullable}, ${comment('c', 'a.attnum')}, a.attnum = any(p.conkey),
    rn.nspname, rc.relname, ra.attname
  from ${relations} join pg_catalog.pg_attribute a on a.attrelid = c.oid
  left join pg_catalog.pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
  left join pg_catalog.pg_constraint f
    on f.conrelid = c.oid and f.contype = 'f' and a.attnum = any(f.conkey)
  left join pg_catalog.pg_class rc on rc.oid = f.confrelid
  left join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
  left join pg_catalog.pg_attribute ra on ra.attrelid = f.confrelid
    and ra.attnum = f.confkey[array_position(f.conkey, a.attnum)]
  where ${readable} and not c.relispartition and ${live}
  order by n.nspname, c.relname, a.attnum`

/** Reads table metadata from pg_catalog, because information_schema has no comments. */
export const catalog: Catalog = {
  // The left join keeps the total on a page that has no tables.
  tables: ({ search = null, names, limit, offset = 0 }) => ({
    sql: `with matching as (
        select c.oid, n.nspname, c.relname from ${relations}
        where ${readable} and not c.relispartition and ($1::text is null
          or ${names ? holds("n.nspname || '.' || c.relname") : found}))
      select (select count(*) from matching), page.*
      from (values (1)) always
      left join (select ${summary} from matching join ${relations} on c.oid = matching.oid
        order by n.nspname, c.relname limit $2::bigint offset $3::bigint) page on true`,
    params: [search, limit, offset],
  }),

  find: (name) => ({
    shape: { width: 7, order: [6, 0, 1] },
    sql: `select ${summary},
        case when n.nspname || '.' || c.relname = $1 then 0
          when c.relname = $1 and n.nspname = 'public' then 1
          when c.relname = $1 and pg_table_is_visible(c.oid) then 2
          when c.relname = $1 then 3
          when lower((n.nspname || '.' || c.relname)${collated}) = lower($1::text${collated}) then 4
          when pg_table_is_visible(c.oid) then 5
          else 6 end as rank
      from ${relations}
      where ${readable}
        and (c.relname = $1 or lower($1::text${collated}) in (
          lower(c.relname::text${collated}), lower((n.nspname || '.' || c.relname)${collated})))
      order by rank, n.nspname, c.relname`,
    params: [name],
  }),

  near: (name) => ({
    sql: `select n.nspname, c.relname from ${relations}
      where ${readable} and not c.relispartition and (
        abs(length(c.relname) - length($1::text)) <= 3
        or strpos(lower(c.relname), lower($1)) > 0 or strpos(lower($1), lower(c.relname)) > 0)
      order by lower(left(c.relname, 4)) = lower(left($1, 4)) desc,
        lower(left(c.relname, 1)) = lower(left($1, 1)) desc, c.relname
      limit 1000`,
    params: [name],
  }),

  columns: (tables) => ({
    shape: { width: 10, order: [0, 1, 9] },
    sql: `select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), ${nullable},
        case when a.attidentity <> '' then 'generated as identity'
          when a.attgenerated <> '' then 'generated as ' || pg_get_expr(d.adbin, d.adrelid)
          else pg_get_expr(d.adbin, d.adrelid) end,
        ${comment('c', 'a.attnum')},
        (select array_agg(e.enumlabel::text order by e.enumsortorder)
          from pg_catalog.pg_enum e where e.enumtypid = a.atttypid),
        ${operators}, a.attnum
      from ${relations} join pg_catalog.pg_attribute a on a.attrelid = c.oid
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where (n.nspname, c.relname) in (${tables.map((_, i) => `($${2 * i + 1}, $${2 * i + 2})`)})
        and ${live}
      order by n.nspname, c.relname, a.attnum`,
    params: tables.flatMap(named),
  }),

  keys: (table) => ({
    shape: { width: 7, order: [0, 1, 3, 4, 6] },
    sql: `with k as (
        select k.*, u.* from pg_catalog.pg_constraint k
        cross join unnest(k.conkey, k.confkey) with ordinality as u (attnum, refnum, position)
        where k.contype in ('p', 'u', 'f'))
      select
        case k.contype when 'p' then 'primary' when 'u' then 'unique' else 'foreign' end as kind,
        k.conname as key, a.attname, n.nspname, c.relname, r.attname, k.position
      from k join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.attnum
      left join pg_catalog.pg_attribute r on r.attrelid = k.confrelid and r.attnum = k.refnum
      left join (${relations}) on c.oid = k.confrelid
      where k.conrelid = ${one} and (k.contype <> 'f' or (${readable})) and ${ofTable}
      union all
      select 'referenced', k.conname, r.attname, n.nspname, c.relname, a.attname, k.position
      from k join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.attnum
      join pg_catalog.pg_attribute r on r.attrelid = k.confrelid and r.attnum = k.refnum
      join (${relations}) on c.oid = k.conrelid
      where k.contype = 'f' and k.confrelid = ${one} and ${readable} and k.conparentid = 0
      order by kind, key, nspname, relname, position`,
    params: named(table),
  }),

  secured: (names) => ({
    sql: `select distinct c.relname from ${relations}
      where row_security_active(c.oid) and c.relname in (${names.map((_, i) => `$${i + 1}`)})
      and ${readable}`,
    params: names,
  }),

  indexes: (table) => ({
    shape: { width: 5, order: [0, 4] },
    sql: `select x.relname, i.indisunique, pg_get_expr(i.indpred, i.indrelid),
        pg_get_indexdef(i.indexrelid, k, true), k
      from pg_catalog.pg_index i
      join pg_catalog.pg_class x on x.oid = i.indexrelid
      cross join generate_series(1, i.indnkeyatts) as k
      where i.indrelid = ${one} and i.indisvalid and not exists (
        select from pg_catalog.pg_constraint c
        where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
      order by x.relname, k`,
    params: named(table),
  }),

  overview: () => ({ sql: columns }),

  fingerprint: () => ({
    sql: `select sum(hashtextextended(o::text, 0)) from (${columns}) o
      union all
      select sum(hashtextextended(concat(n.nspname, '.', c.relname, ' ', c.relkind,
        ${comment('c')}), 0)) from ${relations} where ${readable}`,
  }),
}
