import { demoRows } from '../../src/database/demo/rows.ts'

/**
 * The demo store as plain lists, to compute the right answers without SQL. Times are UTC, such as
 * `2025-01-31 08:15:00`. Amounts are decimals in strings.
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

/** A decimal with two places as an integer of hundredths, which is exact. */
export const cents = (decimal: string) => Number(decimal.replace('.', ''))

/** The price of an order item, in cents and fractions of a cent. */
export const lineCents = (line: Shop['order_items'][number]) =>
  (cents(line.unit_price) * line.quantity * (10_000 - cents(line.discount_pct))) / 10_000

/** Cents as an amount. */
export const amount = (sum: number) => Math.round(sum) / 100

export const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/** The sum of a number of each item, grouped by a key of the item. */
export function sums<Item, Key>(
  items: readonly Item[],
  key: (item: Item) => Key,
  of: (item: Item) => number,
): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const item of items) found.set(key(item), (found.get(key(item)) ?? 0) + of(item))
  return found
}

/** The keys with the greatest sums, greatest first. If two are equal, the lower key is first. */
export const greatest = <Key extends string | number>(of: Map<Key, number>, count: number) =>
  [...of].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count)

/** The item with this id. */
export const byId = <Item extends { id: number }>(items: readonly Item[], id: number): Item =>
  items.find((it) => it.id === id)!

/** A time of the store in milliseconds. */
export const moment = (time: string) => Date.parse(`${time.replace(' ', 'T')}Z`)
