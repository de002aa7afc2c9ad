import { demoRows } from '../../src/database/demo/rows.ts'

/**
 * The demo store as plain lists, so that what a question should be answered with is computed by
 * other means than SQL. Times are UTC, as `2025-01-31 08:15:00`; amounts are decimals in a string.
 */
export interface Shop {
  readonly categories: readonly { id: number; name: string; parent_id: number | null }[]
  readonly products: readonly {
    id: number
    sku: string
    name: string
    category_id: number
    price: string
    weight_g: number | null
    ean: string
    attributes: string | null
    discontinued: boolean
  }[]
  readonly customers: readonly {
    id: number
    name: string
    email: string
    country: string
    created_at: string
    birth_date: string | null
    marketing_opt_in: boolean
  }[]
  readonly orders: readonly {
    id: number
    customer_id: number
    status: string
    ordered_at: string
    shipped_at: string | null
    note: string | null
  }[]
  readonly order_items: readonly {
    order_id: number
    line_no: number
    product_id: number
    quantity: number
    unit_price: string
    discount_pct: string
  }[]
  readonly payments: readonly {
    id: number
    order_id: number
    method: string
    amount: string
    paid_at: string
  }[]
  readonly reviews: readonly {
    id: number
    product_id: number
    customer_id: number
    rating: number
    body: string | null
    created_at: string
  }[]
}

export const shop = demoRows() as unknown as Shop

/** Hundredths of a decimal with two places: exact where a double is not. */
export const cents = (decimal: string) => Number(decimal.replace('.', ''))

/** What was asked for a line of an order, in cents and parts of a cent. */
export const lineCents = (line: Shop['order_items'][number]) =>
  (cents(line.unit_price) * line.quantity * (10_000 - cents(line.discount_pct))) / 10_000

/** Cents as an amount. */
export const amount = (sum: number) => Math.round(sum) / 100

export const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/** The sum of a number of each item, by a key of it. */
export function sums<Item, Key>(
  items: readonly Item[],
  key: (item: Item) => Key,
  of: (item: Item) => number,
): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const item of items) found.set(key(item), (found.get(key(item)) ?? 0) + of(item))
  return found
}

/** The keys with the greatest sums, the greatest first; the lower key first where they tie. */
export const greatest = <Key extends string | number>(of: Map<Key, number>, count: number) =>
  [...of].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count)

/** The one of these with this id. */
export const byId = <Item extends { id: number }>(items: readonly Item[], id: number): Item =>
  items.find((it) => it.id === id)!

/** Milliseconds of a time of the store. */
export const moment = (time: string) => Date.parse(`${time.replace(' ', 'T')}Z`)
