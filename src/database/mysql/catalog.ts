import type { Catalog, TableName } from '../dialect.ts'

// information_schema lists everything that the role has any privilege on, not only what it can select. It ignores
// case when it compares names, but two names can differ only in case, so they are compared as bytes here.
const bytes = (text: string) => `cast(${text} as binary)`

/** The relations in the current database that the role can read, with the number of columns that it can see. */
const readable = `readable as (
    select ${bytes('c.table_name')} as name, count(*) as width from information_schema.columns c
    where c.table_schema = database() and c.privileges like '%select%'
    group by ${bytes('c.table_name')})`

const relations = `information_schema.tables t
  join readable r on r.name = ${bytes('t.table_name')}
  where t.table_schema = database()
    and t.table_type in ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')`

// InnoDB estimates the number of rows. It reports 0 for an empty table, and for a table that it has not counted yet.
const summary = `t.table_schema, t.table_name,
  case t.table_type when 'VIEW' then 'view' else 'table' end,
  case t.table_type when 'VIEW' then null else nullif(t.table_comment, '') end,
  case when t.table_rows > 0 or t.engine in ('MyISAM', 'Aria', 'MEMORY') then t.table_rows end,
  r.width`

const lower = (text: string) => `lower(convert(${text} using utf8mb4))`
const holds = (text: string) => `locate(lower(?), ${lower(text)}) > 0`

const of = (alias: string) =>
  `${alias}.table_schema = ? and ${alias}.table_name = ?
    and ${bytes(`${alias}.table_name`)} = ${bytes('?')}`
const named = ({ schema, name }: TableName) => [schema, name, name]

const qualified = "concat(t.table_schema, '.', t.table_name)"

/** A number that changes when these columns of information_schema change. Their order does not matter. */
const digest = (relation: string, columns: string) => `select count(*),
    bit_xor(cast(conv(left(md5(concat_ws('|', table_name, ${columns})), 15), 16, 10) as unsigned))
  from information_schema.${relation} where table_schema = database()`

/** Reads MySQL's metadata about the tables in the current database only. */
export const catalog: Catalog = {
  // The left join keeps the total on a page that has no tables.
  tables: ({ search = null, names = false, limit, offset = 0 }) => ({
    sql: `with ${readable}, matching as (
        select ${summary} from ${relations} and (? is null or ${holds('t.table_name')}
          or (t.table_type <> 'VIEW' and ${holds('t.table_comment')})
          or ${bytes('t.table_name')} in (
            select ${bytes('c.table_name')} from information_schema.columns c
            where c.table_schema = database() and c.privileges like '%select%'
              and ${holds('c.column_name')})))
      select counted.total, page.* from (select count(*) as total from matching) counted
      left join (select * from matching order by ${bytes('table_name')} limit ? offset ?) page on true`,
    // A condition with NULL finds nothing.
    params: [
      search,
      search ?? '',
      names ? null : (search ?? ''),
      names ? null : (search ?? ''),
      limit,
      offset,
    ],
  }),

  find: (name) => ({
    shape: { width: 7, order: [6, 1] },
    sql: `with ${readable}
      select ${summary},
        case when ${bytes(qualified)} = ${bytes('?')} then 0
          when ${bytes('t.table_name')} = ${bytes('?')} then 1 else 2 end as likeness
      from ${relations} and lower(?) in (${lower('t.table_name')}, ${lower(qualified)})
      order by likeness, t.table_name`,
    params: [name, name, name],
  }),

  near: (name) => ({
    sql: `with ${readable}
      select t.table_schema, t.table_name
      from ${relations} and (abs(char_length(t.table_name) - char_length(?)) <= 3
        or ${holds('t.table_name')} or locate(${lower('t.table_name')}, lower(?)) > 0)
      order by left(${lower('t.table_name')}, 1) = left(lower(?), 1) desc, t.table_name
      limit 1000`,
    params: [name, name, name, name],
  }),

  columns: (tables) => ({
    shape: { width: 10, order: [0, 1, 9] },
    sql: `select c.table_schema, c.table_name, c.column_name, c.column_type, c.is_nullable = 'YES',
        case when c.generation_expression <> '' then concat('generated as ', c.generation_expression)
          when c.extra like '%auto_increment%' then 'auto_increment'
          when version() like '%mariadb%' or c.extra like '%default_generated%'
            then nullif(c.column_default, 'NULL')
          else nullif(quote(c.column_default), 'NULL') end,
        nullif(c.column_comment, ''), null, null, c.ordinal_position
      from information_schema.columns c
      where (${tables.map(() => `(${of('c')})`).join(' or ')}) and c.privileges like '%select%'
      order by c.table_schema, c.table_name, c.ordinal_position`,
    params: tables.flatMap(named),
  }),

  // Does not use table_constraints, which MariaDB hides from users who can only select. Ordered by kind, name,
  // other table and position, as numbers: MariaDB loses the column names where a WITH renames them.
  keys: (table) => ({
    shape: { width: 7, order: [0, 1, 4, 6] },
    sql: `with ${readable}
      select case when u.constraint_name = 'PRIMARY' then 'primary'
          when u.referenced_table_name is null then 'unique' else 'foreign' end as kind,
        u.constraint_name as name, u.column_name, u.referenced_table_schema,
        u.referenced_table_name as other, u.referenced_column_name, u.ordinal_position as position
      from information_schema.key_column_usage u
      where ${of('u')} and (u.referenced_table_name is null
        or u.referenced_table_schema = database()
          and ${bytes('u.referenced_table_name')} in (select r.name from readable r))
      union all
      select 'referenced', u.constraint_name, u.referenced_column_name, u.table_schema,
        u.table_name, u.column_name, u.ordinal_position
      from information_schema.key_column_usage u
      where u.table_schema = database() and u.referenced_table_schema = ?
        and u.referenced_table_name = ? and ${bytes('u.referenced_table_name')} = ${bytes('?')}
        and ${bytes('u.table_name')} in (select r.name from readable r)
      order by 1, 2, 5, 7`,
    params: [...named(table), ...named(table)],
  }),

  // Unique indexes are listed as keys, unless they contain an expression.
  indexes: (table) => ({
    shape: { width: 5, order: [0, 4] },
    sql: `select i.index_name, i.non_unique = 0, 0, coalesce(i.column_name, '(expression)'),
        i.seq_in_index
      from information_schema.statistics i
      where ${of('i')} and (i.non_unique = 1 or i.column_name is null)
      order by i.index_name, i.seq_in_index`,
    params: named(table),
  }),

  overview: () => ({
    sql: `select c.table_schema, c.table_name, c.column_name, c.column_type, c.is_nullable = 'YES',
        nullif(c.column_comment, ''), c.column_key = 'PRI', u.referenced_table_schema,
        u.referenced_table_name, u.referenced_column_name
      from information_schema.columns c
      left join (select * from information_schema.key_column_usage
        where table_schema = database() and referenced_table_name is not null) u
        on ${bytes('u.table_name')} = ${bytes('c.table_name')} and u.column_name = c.column_name
      where c.table_schema = database() and c.privileges like '%select%'
      order by ${bytes('c.table_name')}, c.ordinal_position`,
  }),

  fingerprint: () => ({
    sql: [
      digest('tables', 'table_type, table_comment'),
      digest(
        'columns',
        `ordinal_position, column_name, column_type, is_nullable, column_key, column_default, extra,
        column_comment, generation_expression`,
      ),
    ].join(' union all '),
  }),
}
