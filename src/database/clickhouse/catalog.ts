import type { Catalog, TableName } from '../dialect.ts'

/**
 * Columns that old versions lack, with the replacement for each. Only our statements use this alias for a
 * table, so the driver can replace one string with the other.
 */
export const later: Readonly<Record<string, string>> = {
  'tidegate_tables.comment': "''",
  'tidegate_tables.total_rows': 'NULL',
}

// Reading from tables with these engines removes the rows.
const queues = `('Kafka', 'RabbitMQ', 'NATS', 'FileLog', 'S3Queue', 'AzureQueue')`

/** The user's tables in the URL's database, except tables that a read would change. */
const readable = `database = currentDatabase() and not is_temporary and engine not in ${queues}
  and not startsWith(name, '.inner')`

const kind = `multiIf(engine like '%MaterializedView', 'materialized view',
  engine like '%View', 'view',
  match(engine, '^(MySQL|PostgreSQL|MongoDB|Redis|SQLite|S3|URL|HDFS|ODBC|JDBC|AzureBlobStorage)'),
  'foreign table', 'table')`

const tables = `(select database as schema, name, ${kind} as kind,
    tidegate_tables.comment as remark, tidegate_tables.total_rows as estimate
  from system.tables as tidegate_tables where ${readable})`

const widths = `(select table as name, toUInt64(count()) as columns
  from system.columns where database = currentDatabase() group by table)`

const summaries = `(select schema, name, kind, remark, estimate, columns
  from ${tables} as described any left join ${widths} as counted using name)`

const summary = `schema, name, kind, nullIf(remark, '') as comment, estimate, columns`

const holds = (text: string) => `positionCaseInsensitiveUTF8(${text}, {p1}) > 0`

const nullable = `match(type, '^(LowCardinality\\\\()?Nullable')`

/** Condition for the one requested table. */
const one = (name: string) => `database = {p1} and ${name} = {p2}`
const named = ({ schema, name }: TableName) => [schema, name]

/** Pattern for the parts of a key such as `a, toDate(b), cityHash64(c, d)`. */
const PARTS = String.raw`'((?:[^(),]|\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))+)'`

/** Pattern for the values in a type name such as `Enum8('a' = 1)`, which keep their escapes. */
const VALUES = String.raw`'\'((?:[^\'\\\\]|\\\\.)*)\' = '`

/**
 * Queries about ClickHouse's tables. In ClickHouse, a primary key is a sort order, and its values do not have to be
 * unique. The sorting key and the partition key are reported as indexes.
 */
export const catalog: Catalog = {
  // The row without a name keeps the total on a page that has no tables.
  tables: ({ search, names, limit, offset = 0 }) => {
    const found = names
      ? holds('name')
      : `${holds('name')} or ${holds('remark')} or name in (
      select table from system.columns where database = currentDatabase()
      and (${holds('name')} or ${holds('comment')}))`
    const matching = `(select * from ${summaries} where {p2} or ${found})`
    return {
      sql: `select * from (
          select (select count() from ${matching}) as total, toNullable(schema) as schema,
            toNullable(name) as name, toNullable(kind) as kind, nullIf(remark, '') as comment,
            toNullable(estimate) as estimate, toNullable(columns) as columns
          from (select * from ${matching} order by name limit {p4}, {p3})
          union all
          select (select count() from ${matching}) as total, NULL, NULL, NULL, NULL, NULL, NULL)
        order by isNull(schema), name`,
      params: [search ?? '', search === undefined, limit, offset],
    }
  },

  find: (name) => ({
    shape: { width: 7, order: [6, 1] },
    sql: `select ${summary}, multiIf(concat(schema, '.', name) = {p1}, 0, name = {p1}, 1, 2) as rank
      from ${summaries}
      where lowerUTF8(name) = lowerUTF8({p1})
        or lowerUTF8(concat(schema, '.', name)) = lowerUTF8({p1})
      order by rank, name`,
    params: [name],
  }),

  near: (name) => ({
    sql: `select schema, name from ${tables}
      where abs(toInt64(lengthUTF8(name)) - toInt64(lengthUTF8({p1}))) <= 3
        or ${holds('name')} or positionCaseInsensitiveUTF8({p1}, name) > 0
      order by lowerUTF8(substring(name, 1, 1)) = lowerUTF8(substring({p1}, 1, 1)) desc, name
      limit 1000`,
    params: [name],
  }),

  columns: (tables) => ({
    shape: { width: 8, order: [] },
    sql: `select database, table, name, type, ${nullable},
        multiIf(default_kind = '', NULL, default_kind = 'DEFAULT', default_expression,
          concat(lower(default_kind), ' ', default_expression)),
        nullIf(comment, ''), if(match(type, 'Enum'), extractAll(type, ${VALUES}), emptyArrayString())
      from system.columns
      where ${tables.map((_, i) => `(database = {p${2 * i + 1}} and table = {p${2 * i + 2}})`).join(' or ')}`,
    params: tables.flatMap(named),
  }),

  keys: (table) => ({
    shape: { width: 6, order: [] },
    sql: `select 'primary' as kind, '' as key, name, NULL as schema, NULL as other, NULL as there
      from system.columns where ${one('table')} and is_in_primary_key
      order by position(
        (select any(primary_key) from system.tables where ${one('name')}), name), name`,
    params: named(table),
  }),

  indexes: (table) => ({
    shape: { width: 4, order: [] },
    sql: `select concat(key.1, ' key') as name, 0 as is_unique, 0 as is_partial, replaceRegexpAll(part, '^ +| +$', '')
      from (
        select arrayJoin([('sorting', sorting_key), ('partition', partition_key)]) as key
        from system.tables where ${one('name')})
      array join extractAll(key.2, ${PARTS}) as part`,
    params: named(table),
  }),

  overview: () => ({
    sql: `select database, table, name, type, ${nullable}, nullIf(comment, ''), is_in_primary_key,
        NULL, NULL, NULL
      from system.columns where database = currentDatabase()`,
  }),

  // The statement that creates a table describes it completely.
  fingerprint: () => ({
    sql: `select count(), groupBitXor(cityHash64(name, create_table_query))
      from system.tables where ${readable}`,
  }),
}
