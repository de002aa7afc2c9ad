import { type DemoRow, demoRows } from './rows.ts'

/** The types of the columns. */
const SQLITE = {
  integer: 'integer',
  bigint: 'integer',
  decimal: 'decimal(12,2)',
  text: 'text',
  boolean: 'boolean',
  date: 'text',
  timestamp: 'text',
  json: 'text',
}

/**
 * The version of the data and its tables. A store of another edition is replaced, so this must change
 * whenever the {@link demoStatements} change.
 */
export const EDITION = '2026-11-21.2'

/** The statements that create the demo store in an empty database, in order. Other types are for other engines. */
export function* demoStatements(types = SQLITE): Generator<string> {
  yield* tables(types)
  for (const [table, rows] of Object.entries(demoRows())) yield* inserts(table, rows)
}

function tables(types: typeof SQLITE): string[] {
  const { integer, bigint, decimal, text, boolean, date, timestamp, json } = types
  return [
    `create table categories (
      id ${integer} not null primary key,
      name ${text} not null,
      parent_id ${integer} references categories (id)
    )`,
    `create table products (
      id ${integer} not null primary key,
      sku ${text} not null unique,
      name ${text} not null,
      category_id ${integer} not null references categories (id),
      price ${decimal} not null,
      weight_g ${integer},
      ean ${bigint} not null,
      attributes ${json},
      discontinued ${boolean} not null
    )`,
    `create table customers (
      id ${integer} not null primary key,
      name ${text} not null,
      email ${text} not null,
      country ${text} not null,
      created_at ${timestamp} not null,
      birth_date ${date},
      marketing_opt_in ${boolean} not null
    )`,
    `create table orders (
      id ${integer} not null primary key,
      customer_id ${integer} not null references customers (id),
      status ${text} not null,
      ordered_at ${timestamp} not null,
      shipped_at ${timestamp},
      note ${text}
    )`,
    `create table order_items (
      order_id ${integer} not null references orders (id),
      line_no ${integer} not null,
      product_id ${integer} not null references products (id),
      quantity ${integer} not null,
      unit_price ${decimal} not null,
      discount_pct ${decimal} not null,
      primary key (order_id, line_no)
    )`,
    `create table payments (
      id ${integer} not null primary key,
      order_id ${integer} not null references orders (id),
      method ${text} not null,
      amount ${decimal} not null,
      paid_at ${timestamp} not null
    )`,
    `create table reviews (
      id ${integer} not null primary key,
      product_id ${integer} not null references products (id),
      customer_id ${integer} not null references customers (id),
      rating ${integer} not null,
      body ${text},
      created_at ${timestamp} not null
    )`,
    'create index orders_by_customer on orders (customer_id, ordered_at)',
    'create index items_by_product on order_items (product_id)',
    // SQLite stores the decimal 10.00 as the integer 10, and drops the fraction when it divides integers.
    // 100.0 is not an integer, so it avoids that.
    `create view order_totals as
      select o.id as order_id, o.customer_id, o.status,
        sum(i.quantity * i.unit_price * (100 - i.discount_pct) / 100.0) as total
      from orders o join order_items i on i.order_id = o.id
      group by o.id, o.customer_id, o.status`,
  ]
}

// A Durable Object refuses statements over 100,000 bytes.
const MAX_STATEMENT_BYTES = 90_000

/** As few INSERT statements as {@link MAX_STATEMENT_BYTES} allows. */
function* inserts(table: string, rows: readonly DemoRow[]): Generator<string> {
  const head = `insert into ${table} (${Object.keys(rows[0]!).join(', ')}) values\n`
  let values: string[] = []
  let size = 0
  for (const row of rows) {
    const line = `(${Object.values(row).map(literal).join(', ')})`
    const bytes = new TextEncoder().encode(line).length + ',\n'.length
    if (head.length + size + bytes > MAX_STATEMENT_BYTES) {
      yield head + values.join(',\n')
      values = []
      size = 0
    }
    values.push(line)
    size += bytes
  }
  yield head + values.join(',\n')
}

/** A value in a form that every dialect reads: a quoted number takes the type of its column. */
function literal(value: DemoRow[string]): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
