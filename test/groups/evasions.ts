/** A tool call. */
export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

const sqliteStatements = `
select * from zqx_secrets
select * from main.zqx_secrets
select * from "zqx_secrets"
select * from [zqx_secrets]
select * from \`zqx_secrets\`
select * from ZQX_SECRETS
select s.* from zqx_secrets s
select zqx_value v from zqx_secrets as orders
with orders as (select * from zqx_secrets) select * from orders
with recursive t(n) as (select 1 union all select zqx_id from zqx_secrets, t limit 5) select * from t
with a as (with b as (select * from zqx_secrets) select * from b) select * from a
with a as materialized (select zqx_value from zqx_secrets) select * from a
with a as not materialized (select zqx_value from zqx_secrets) select * from a
with zqx_secrets as (select * from main.zqx_secrets) select * from zqx_secrets
select * from orders o join zqx_secrets s on s.zqx_id = o.secret
select * from orders, zqx_secrets
select * from (orders, zqx_secrets)
select * from orders natural join zqx_secrets
select * from orders join zqx_secrets using (id)
select * from orders left join zqx_secrets on zqx_id = secret
select * from zqx_secrets right join orders on zqx_id = secret
select * from orders full join zqx_secrets on zqx_id = secret
select o.id from orders o left join zqx_secrets on zqx_id = secret
select * from orders cross join zqx_secrets
select (select zqx_value from zqx_secrets limit 1)
select (select group_concat(zqx_value) from zqx_secrets) from orders
select id from orders where id in (select zqx_id from zqx_secrets)
select id from orders where secret in zqx_secrets
select id from orders where secret not in zqx_secrets
select id from orders where exists (select 1 from zqx_secrets)
select id from orders where 0 and exists (select 1 from zqx_secrets)
select 1 where 0 and exists (select 1 from zqx_secrets)
select case when 0 then (select zqx_value from zqx_secrets) else 1 end
select id from orders order by (select zqx_value from zqx_secrets)
select id from orders group by (select zqx_value from zqx_secrets)
select count(*) from orders having (select count(*) from zqx_secrets) > 0
select id from orders limit (select count(*) from zqx_secrets)
select id from orders limit 1 offset (select count(*) from zqx_secrets)
select sum(total) over (order by (select max(zqx_value) from zqx_secrets)) from orders
select sum(total) filter (where exists (select 1 from zqx_secrets)) from orders
select id from orders union select zqx_value from zqx_secrets
select id from orders union all select zqx_value from zqx_secrets
select id from orders except select zqx_id from zqx_secrets
select id from orders intersect select zqx_id from zqx_secrets
values ((select zqx_value from zqx_secrets))
select * from (values (1), ((select zqx_value from zqx_secrets)))
select * from (select * from zqx_secrets)
select * from (select * from (select * from zqx_secrets))
select count(*) from zqx_secrets
select max(rowid) from zqx_secrets
select oid, _rowid_ from zqx_secrets
select json_group_array(zqx_value) from zqx_secrets
select json_object('a', zqx_value) from zqx_secrets
select hex(zqx_value) from zqx_secrets
select substr(zqx_value, 1, 2) from zqx_secrets
select zqx_value from zqx_secrets indexed by zqx_planted_idx
select * from zqx_secrets not indexed
select zqx_tax from customers
select * from customers
select customers.* from customers
select c.* from customers c
select "zqx_tax" from customers
select id from customers where zqx_tax like 'p%'
select id from customers order by zqx_tax
select count(zqx_tax) from customers
select count(distinct zqx_tax) from customers
select id from customers
select name from customers c
select o.id, c.name from orders o join customers c on c.id = o.customer_id
select * from orders natural join customers
select * from report
select zqx_tax from report
select id from report
select * from lengths
select * from faulty
select * from sqlite_schema
select * from sqlite_master
select sql from main.sqlite_schema
select name from sqlite_temp_master
select name from sqlite_temp_schema
select * from temp.sqlite_schema
select rootpage from sqlite_schema where name = 'zqx_secrets'
select * from (select sql from sqlite_schema)
with s as (select * from sqlite_master) select * from s
select * from orders, sqlite_schema
select * from orders where id in (select rootpage from sqlite_master)
select * from pragma_table_info('zqx_secrets')
select * from pragma_table_xinfo('customers')
select * from pragma_table_list
select * from pragma_table_list()
select * from pragma_index_list('customers')
select * from pragma_index_info('zqx_planted_idx')
select * from pragma_index_xinfo('zqx_planted_idx')
select * from pragma_foreign_key_list('orders')
select * from orders, pragma_table_info('customers')
select name from pragma_database_list
select * from pragma_function_list
select * from pragma_stats
select * from dbstat
select * from sqlite_dbpage
select * from sqlite_stat1
select * from sqlite_sequence
select * from sqlite_stmt
select * from bytecode('select * from zqx_secrets')
select * from tables_used('select * from zqx_secrets')
select * from json_each((select zqx_value from zqx_secrets))
select * from orders, json_each(json_array(secret))
select * from json_tree((select json_group_array(sql) from sqlite_schema))
select * from generate_series(1, 2)
select * from zqx_rowless
select planted_v from zqx_rowless
select * from zqx_planted_audit
explain select * from zqx_secrets
explain query plan select * from zqx_secrets
explain query plan select * from customers where zqx_tax = 'a'
explain query plan select * from orders o join zqx_secrets on zqx_id = secret
select 1/0, zqx_value from zqx_secrets
select cast(zqx_value as integer) from zqx_secrets
select json(zqx_value) from zqx_secrets
select abs(-9223372036854775808) from zqx_secrets
select id from orders where total = (select total from report where zqx_tax is not null)
select * from orders where id = (with x as (select * from zqx_secrets) select zqx_id from x)
/* orders */ select * from /* orders */ zqx_secrets
select * from--x
zqx_secrets
select * from orders; select * from zqx_secrets
select * from "main"."zqx_secrets"
select * from main . zqx_secrets
select*from(zqx_secrets)
select * from ((zqx_secrets))
select * from zqx_secrets join orders
select * from orders join (zqx_secrets)
select * from (orders) join zqx_secrets
select * from orders as a, orders as b, zqx_secrets as c
select 'zqx_secrets' from 'zqx_secrets'
select zqx_secrets from orders
select zqx_secrets.zqx_value from orders
select main.zqx_secrets.zqx_value from orders
select "zqx_value" from orders
select total from orders where zqx_value = 1
select orders.zqx_value from orders
select * from orders where rowid in (select rowid from zqx_secrets)
select * from orders join zqx_secrets on 1=1 where 0
select o.id, (with zqx_secrets as (select 1 a) select a from zqx_secrets) from orders o left join zqx_secrets on zqx_id = o.secret
select (with zqx_secrets as (select 1 a) select a from zqx_secrets), (select nope from zqx_secrets) from orders
select sum(total) over zqx_secrets, (select nope from zqx_secrets) from orders window zqx_secrets as (order by id)
select o.zqx_secrets as materialized, (select nope from zqx_secrets) from (select 1 zqx_secrets) o
select fetch.id from orders fetch left join zqx_secrets on zqx_id = fetch.secret
select nope from orders offset, zqx_secrets
select nope from orders for join zqx_secrets
select nope from orders fetch, 'zqx_secrets'
select nope from orders o join(zqx_secrets)
pragma table_info(zqx_secrets)
pragma schema_version
attach ':memory:' as x
`

const postgresStatements = `
select * from zqx_secrets
select s from zqx_secrets s
select row_to_json(s) from zqx_secrets s
select to_jsonb(s) from zqx_secrets s
select json_agg(s) from zqx_secrets s
select jsonb_agg(to_jsonb(c)) from customers c
select array_agg(zqx_value) from zqx_secrets
select string_agg(zqx_value, ',') from zqx_secrets
select c from customers c
select c.* from customers c
select (c).zqx_tax from customers c
select zqx_tax(c) from customers c
select row(c.*) from customers c
select c::text from customers c
select (c.*)::text from customers c
select hstore(c) from customers c
select xmlforest(c.zqx_tax) from customers c
select query_to_xml('select * from zqx_secrets', true, true, '')
select table_to_xml('zqx_secrets', true, true, '')
select schema_to_xml('public', true, true, '')
select database_to_xml(true, true, '')
select * from only zqx_secrets
table zqx_secrets
with t as (select * from zqx_secrets) table t
select * from orders o, lateral (select zqx_value from zqx_secrets where zqx_id = o.secret) x
select * from orders natural join zqx_secrets
select * from orders join zqx_secrets using (secret)
select * from rows from (json_populate_recordset(null::zqx_secrets, '[{}]')) t
select null::zqx_secrets
select (null::zqx_secrets).*
select json_populate_record(null::zqx_secrets, '{}')
select * from information_schema.tables
select * from information_schema.columns
select * from information_schema.views
select * from information_schema.key_column_usage
select * from pg_catalog.pg_class
select relname from pg_class where relname like 'zqx%'
select * from pg_attribute
select * from pg_stats
select most_common_vals from pg_stats where tablename = 'zqx_secrets'
select * from pg_statistic
select * from pg_stats_ext
select * from pg_stat_user_tables
select * from pg_stat_activity
select * from pg_stat_statements
select * from pg_description
select * from pg_views
select * from pg_indexes
select * from pg_matviews
select * from pg_tables
select * from pg_sequences
select pg_get_viewdef('lengths'::regclass)
select pg_get_indexdef('zqx_planted_idx'::regclass)
select 'zqx_secrets'::regclass
select to_regclass('zqx_secrets')
select obj_description('zqx_secrets'::regclass)
select col_description('customers'::regclass, 4)
select has_table_privilege('zqx_secrets', 'select')
select pg_relation_size('zqx_secrets')
select cast(zqx_value as int) from zqx_secrets
select 1 / (length(zqx_value) - 15) from zqx_secrets
select zqx_value::int from zqx_secrets
select * from faulty
select * from report
select * from lengths
explain select * from zqx_secrets
explain (verbose) select * from customers where zqx_tax = 'x'
explain (format json, verbose) select * from orders join zqx_secrets on zqx_id = secret
select * from sales.orders
select * from sales.zqx_planted_deals
select * from zqx_planted_view
select * from planted_seq
select currval('planted_seq')
show all
select current_setting('search_path')
select id from orders
values (1)
`

const mariadbStatements = `
select * from zqx_secrets
select * from \`zqx_secrets\`
select s.* from zqx_secrets s
select * from orders natural join zqx_secrets
select * from orders join zqx_secrets using (secret)
select json_arrayagg(zqx_value) from zqx_secrets
select json_objectagg(zqx_id, zqx_value) from zqx_secrets
select group_concat(zqx_value) from zqx_secrets
with t as (select * from zqx_secrets) select * from t
select (select zqx_value from zqx_secrets limit 1)
select * from customers
select zqx_tax from customers
select id from customers order by zqx_tax
select id from customers where zqx_tax regexp '^p'
select * from information_schema.tables
select * from information_schema.columns
select * from information_schema.statistics
select * from information_schema.key_column_usage
select * from information_schema.views
select * from information_schema.table_constraints
select * from information_schema.innodb_sys_tables
select * from mysql.innodb_table_stats
select * from mysql.column_stats
select * from performance_schema.table_io_waits_summary_by_table
select * from sys.schema_table_statistics
show tables
show full tables
show table status
show columns from zqx_secrets
show columns from customers
show create table zqx_secrets
show create view lengths
show index from customers
show keys from customers
describe zqx_secrets
describe customers
desc customers zqx_tax
explain select * from zqx_secrets
explain format=json select * from customers where zqx_tax = 'a'
analyze format=json select * from customers
show warnings
select extractvalue(1, concat('~', zqx_value)) from zqx_secrets
select updatexml(1, concat('~', (select zqx_value from zqx_secrets limit 1)), 1)
select cast(zqx_value as unsigned) from zqx_secrets
select * from faulty
select * from report
select * from lengths
table zqx_secrets
select * from zqx_secrets procedure analyse()
select distinct zqx_tax from customers
select * from orders where secret in (select zqx_id from zqx_secrets)
select * from orders, zqx_secrets
select id from orders
values (1)
`

const lines = (text: string) =>
  text
    .replaceAll('--x\n', '--x\u0000')
    .trim()
    .split('\n')
    .map((it) => it.replaceAll('\u0000', '\n'))

/** Statements in each dialect that try to read hidden tables and columns. */
export const statements = {
  sqlite: lines(sqliteStatements),
  postgres: lines(postgresStatements),
  mariadb: lines(mariadbStatements),
} as const

const tableNames = [
  ...['zqx_secrets', 'ZQX_SECRETS', 'main.zqx_secrets', 'public.zqx_secrets', '"zqx_secrets"'],
  ...[
    '`zqx_secrets`',
    '[zqx_secrets]',
    ' zqx_secrets',
    'zqx_secrets ',
    'zqx_secrets;--',
    'zqx_secret',
  ],
  ...[
    'zqx＿secrets',
    'zqx_sеcrets',
    'zqx_secrets\u0000',
    'zqx%',
    'zqx_planted_audit',
    'zqx_rowless',
  ],
  ...[
    'sqlite_schema',
    'sqlite_master',
    'sqlite_stat1',
    'pg_class',
    'pg_catalog.pg_class',
    'pg_stats',
  ],
  ...[
    'information_schema.tables',
    'information_schema.columns',
    'mysql.user',
    'sales.zqx_planted_deals',
  ],
  ...[
    'sales.orders',
    'zqx_planted_view',
    'planted_seq',
    '__proto__',
    'constructor',
    'toString',
    '',
  ],
  ...['orders, zqx_secrets', 'orders o join zqx_secrets s', '(select * from zqx_secrets)'],
  ...[
    'zqx_planted_idx',
    'result://zqx',
    'pragma_table_info',
    'orders" union select * from "zqx_secrets',
  ],
]

const columnNames = [
  ...['zqx_tax', 'ZQX_TAX', 'Zqx_Tax', '"zqx_tax"', '`zqx_tax`', 'customers.zqx_tax', 'zqx_tax '],
  ...[
    ' zqx_tax',
    'zqx_tаx',
    'ｚqx_tax',
    'zqx_tax--',
    '*',
    'customers.*',
    'customers',
    'rowid',
    'ctid',
  ],
  ...[
    'tableoid',
    'xmin',
    '_rowid_',
    'oid',
    'name, zqx_tax',
    '(select zqx_tax)',
    'zqx_ta',
    'total',
    '1',
  ],
]

/** Calls without SQL that try to read hidden tables and columns. */
export const calls: readonly Call[] = [
  ['list_tables', {}],
  ['list_tables', { detail: true }],
  ...[
    'zqx',
    'ZQX_SECRETS',
    'secrets',
    'tax',
    'planted',
    'Planted Comment',
    'comment',
    'audit',
    'sales',
    'owner_id',
  ].flatMap((search): Call[] => [
    ['list_tables', { search }],
    ['list_tables', { search, detail: true }],
  ]),
  ['list_tables', { cursor: '5' }],
  ['list_tables', { cursor: '0' }],
  ...['customers', 'orders', 'report', 'lengths', 'faulty', 'gone', ...tableNames].flatMap(
    (table): Call[] => [
      ['describe_table', { table }],
      ['query_table', { table }],
      ['query_table', { table, aggregates: ['count(*)'] }],
    ],
  ),
  ...columnNames.flatMap((it): Call[] =>
    [
      { columns: [it] },
      { columns: ['id'], where: [{ column: it, op: 'contains', value: 'p' }] },
      { columns: ['id'], orderBy: [`${it} desc`] },
      { aggregates: [`max(${it})`] },
    ].map((args) => ['query_table', { table: 'customers', ...args }]),
  ),
  ...[
    { columns: ['id'], where: [{ column: 'zqx_tax', op: 'not_null' }] },
    { columns: ['id'], where: [{ column: 'zqx_tax', op: 'in', value: ['a'] }] },
    { columns: ['id'], where: [{ column: 'zqx_tax', op: 'between', value: ['a', 'z'] }] },
    { columns: ['id'], orderBy: ['zqx_tax'] },
    { aggregates: ['count(distinct zqx_tax)'] },
    { aggregates: ['count(*)'], orderBy: ['max(zqx_tax)'] },
    { aggregates: ['count(*)'], columns: ['zqx_tax'] },
  ].flatMap((args): Call[] => [
    ['query_table', { table: 'customers', ...args }],
    ['query_table', { table: 'report', ...args }],
  ]),
  ['query_table', { table: 'customers' }],
  ['query_table', { table: 'faulty', where: [{ column: 'value', op: 'eq', value: 'x' }] }],
  ['query_table', { table: 'faulty', aggregates: ['max(value)'] }],
  ['query_table', { table: 'orders', where: [{ column: 'total', op: 'eq', value: 'zqx' }] }],
  ['query_table', { table: 'orders', where: [{ column: 'zqx_value', op: 'eq', value: 'x' }] }],
  ['search', { query: 'planted' }],
  ['search', { query: 'a' }],
  ['fetch', { id: 'main/zqx_secrets/7' }],
  ['fetch', { id: 'main/customers/1' }],
  ['fetch', { id: 'main/orders/1' }],
  ['secret_values', {}],
  ['no_such_tool', {}],
]
