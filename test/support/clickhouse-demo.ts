import { demoRows } from '../../src/database/demo/rows.ts'

const columns: Readonly<Record<string, string>> = {
  categories: 'id UInt32, name String, parent_id Nullable(UInt32)',
  products: `id UInt32, sku String, name String, category_id UInt32, price Decimal(12, 2),
    weight_g Nullable(UInt32), ean UInt64, attributes Nullable(String), discontinued UInt8`,
  customers: `id UInt32, name String, email String, country String, created_at DateTime,
    birth_date Nullable(Date), marketing_opt_in UInt8`,
  orders: `id UInt32, customer_id UInt32, status String, ordered_at DateTime,
    shipped_at Nullable(DateTime), note Nullable(String)`,
  order_items: `order_id UInt32, line_no UInt8, product_id UInt32, quantity UInt32,
    unit_price Decimal(12, 2), discount_pct Decimal(12, 2)`,
  payments: `id UInt32, order_id UInt32, method String, amount Decimal(12, 2), paid_at DateTime`,
  reviews: `id UInt32, product_id UInt32, customer_id UInt32, rating UInt8, body Nullable(String),
    created_at DateTime`,
}

/** The statements that create the demo store in a ClickHouse database. */
export function* clickhouseDemo(): Generator<string> {
  for (const [table, rows] of Object.entries(demoRows())) {
    const key = table === 'order_items' ? '(order_id, line_no)' : 'id'
    yield `create table ${table} (${columns[table]}) engine = MergeTree order by ${key}`
    // The old version reads decimals from JSON only without quotes.
    const lines = rows.map((row) =>
      JSON.stringify(row, (_key, value) =>
        typeof value === 'boolean' ? Number(value) : value,
      ).replace(/"(-?\d+\.\d\d)"/g, '$1'),
    )
    yield `insert into ${table} format JSONEachRow\n${lines.join('\n')}`
  }
}
