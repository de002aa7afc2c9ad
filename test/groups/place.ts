/**
 * A database with markers in everything that a group must not see, and the rules of that group.
 *
 * Hidden names begin with `zqx_`. A caller can guess them, but must learn nothing. Hidden text that nobody can
 * guess, such as values, comments and some names, contains `planted`. No answer may contain it.
 *
 * @module
 */

/** The tables and columns that the group can see. */
export const rules = {
  tables: {
    customers: ['id', 'name', 'city'],
    orders: true,
    report: ['id', 'name'],
    lengths: true,
    faulty: true,
    gone: true,
  },
} as const

/** Matches only hidden text. */
export const PLANTED = /planted/i

const rows = (quote = (text: string) => `'${text}'`) => `
  insert into customers (id, name, city, zqx_tax) values
    (1, 'Ada', 'Bern', ${quote('planted-tax-1')}), (2, 'Bob', 'Genf', ${quote('planted-tax-2')}),
    (3, 'Cy', 'Bern', ${quote('planted-tax-3')});
  insert into zqx_secrets (zqx_id, zqx_value, owner_id) values
    (7, ${quote('planted-value-7')}, 1), (8, ${quote('planted-value-8')}, 2);
  insert into orders (id, customer_id, total, secret) values (1, 1, 10, 7), (2, 1, 20, 8), (3, 2, 30, 7);
  insert into zqx_planted_audit values (1, ${quote('planted-audit')});`

export const sqliteSetup = `
  create table customers (id integer primary key, name text not null, city text,
    zqx_tax text default 'planted-default', unique (name, zqx_tax));
  create table zqx_secrets (zqx_id integer primary key, zqx_value text,
    owner_id integer references customers (id));
  create table orders (id integer primary key, customer_id integer references customers (id),
    total integer, secret integer references zqx_secrets (zqx_id));
  create table zqx_planted_audit (id integer primary key, planted_text text);
  create index zqx_planted_idx on customers (zqx_tax);
  create index planted_partial on customers (city) where zqx_tax is not null;
  create index planted_expression on customers (lower(zqx_tax));
  create index orders_by_total on orders (total);
  create view report as select c.id, c.name, c.zqx_tax, o.total from customers c join orders o on o.customer_id = c.id;
  create view lengths as select zqx_id as id, length(zqx_value) as length from zqx_secrets;
  create view faulty as select zqx_id as id, json_extract(zqx_value, '$.planted') as value from zqx_secrets;
  create table zqx_rowless (k text primary key, planted_v text) without rowid;
  insert into zqx_rowless values ('planted-key', 'planted-rowless');
  ${rows()}`

export const postgresSetup = (reader: string) => `
  create table customers (id integer primary key, name text not null, city text,
    zqx_tax text default 'planted-default', unique (name, zqx_tax));
  create table zqx_secrets (zqx_id integer primary key, zqx_value text,
    owner_id integer references customers (id));
  create sequence planted_seq;
  create table orders (id integer primary key default nextval('planted_seq'),
    customer_id integer references customers (id),
    total integer, secret integer references zqx_secrets (zqx_id));
  create table zqx_planted_audit (id integer primary key, planted_text text);
  create index zqx_planted_idx on customers (zqx_tax);
  create index planted_partial on customers (city) where zqx_tax is not null;
  create index planted_expression on customers (lower(zqx_tax));
  create index planted_including on customers (city) include (zqx_tax);
  create index orders_by_total on orders (total);
  create view report as select c.id, c.name, c.zqx_tax, o.total from customers c join orders o on o.customer_id = c.id;
  create view lengths as select zqx_id as id, length(zqx_value) as length from zqx_secrets;
  create view faulty as select zqx_id as id, zqx_value::int as value from zqx_secrets;
  create schema sales; create table sales.zqx_planted_deals (planted_id integer);
  create table sales.orders (planted_id integer, zqx_margin integer);
  create materialized view zqx_planted_view as select * from zqx_secrets;
  comment on table zqx_secrets is 'planted comment of a table';
  comment on column customers.zqx_tax is 'planted comment of a column';
  comment on column customers.city is 'where they live';
  comment on table orders is 'what they bought';
  ${rows()}
  analyze;
  grant usage on schema public, sales to ${reader};
  grant select on all tables in schema public, sales to ${reader};`

export const mariadbSetup = `
  create table customers (id integer primary key, name varchar(40) not null, city varchar(40) comment 'where they live',
    zqx_tax varchar(40) default 'planted-default' comment 'planted comment of a column', unique planted_unique (name, zqx_tax));
  create table zqx_secrets (zqx_id integer primary key, zqx_value varchar(40),
    owner_id integer, foreign key planted_fk (owner_id) references customers (id)) comment 'planted comment of a table';
  create table orders (id integer primary key, customer_id integer, total integer,
    secret integer, foreign key (customer_id) references customers (id),
    foreign key (secret) references zqx_secrets (zqx_id)) comment 'what they bought';
  create table zqx_planted_audit (id integer primary key, planted_text varchar(40));
  create index zqx_planted_idx on customers (zqx_tax);
  create index orders_by_total on orders (total);
  create view report as select c.id, c.name, c.zqx_tax, o.total from customers c join orders o on o.customer_id = c.id;
  create view lengths as select zqx_id as id, length(zqx_value) as length from zqx_secrets;
  create view faulty as select zqx_id as id, cast(zqx_id as unsigned) - length(zqx_value) as value from zqx_secrets;
  ${rows()}`
