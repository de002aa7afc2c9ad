import type { Param } from '../rows.ts'
import {
  adjectives,
  categories,
  colors,
  countries,
  firstNames,
  injections,
  lastNames,
  methods,
  notes,
  nouns,
  opinions,
  ratings,
} from './vocabulary.ts'

/** One row of a demo table, by column name. Big integers and decimals are strings. */
export type DemoRow = Readonly<Record<string, Param>>

/**
 * The rows of the demo store, table by table, parents before children. They are the same on every call and
 * every machine, so an answer can be checked against a known number.
 *
 * All draws come from one stream. So their order, down to the order of the fields in a row, is part of the
 * data: one more draw anywhere changes every row after it.
 */
export function demoRows(): Readonly<Record<string, readonly DemoRow[]>> {
  const draws = drawsFrom(20261121)
  const products = productsFrom(draws)
  const customers = customersFrom(draws)
  const { orders, items, payments } = salesFrom(draws, products)
  const reviews = reviewsFrom(draws)
  return {
    categories: categories.map(([name, parent_id], i) => ({ id: i + 1, name, parent_id })),
    products,
    customers,
    orders,
    order_items: items,
    payments,
    reviews,
  }
}

const PRODUCTS = 90
const CUSTOMERS = 300
const ORDERS = 2400
const REVIEWS = 500

const productsFrom = ({ below, pick, oneIn }: Draws) =>
  numbersTo(PRODUCTS).map((id) => ({
    id,
    sku: `SKU-${twoDigits(id)}${below(10)}${below(10)}`,
    name: `${pick(adjectives)} ${pick(nouns)}`,
    category_id: 7 + below(8),
    price: (5 + below(20_000) / 100).toFixed(2),
    weight_g: oneIn(6) ? null : 50 + below(5000),
    // Odd numbers above 2^53: none of them survives conversion to a double.
    ean: String(9007199254740993n + BigInt(below(900_000)) * 2n),
    attributes: oneIn(3)
      ? null
      : JSON.stringify({ color: pick(colors), sizes: [below(5), 5 + below(5)] }),
    discontinued: oneIn(12),
  }))

const customersFrom = ({ below, pick, oneIn }: Draws) =>
  numbersTo(CUSTOMERS).map((id) => {
    const [first, last] = [pick(firstNames), pick(lastNames)]
    return {
      id,
      name: `${first} ${last}`,
      email: address(`${first}.${last}${oneIn(3) ? '' : id}`),
      country: pick(countries),
      created_at: time(below(400), below(DAY_SECONDS)),
      birth_date: oneIn(4)
        ? null
        : `${1950 + below(55)}-${twoDigits(1 + below(12))}-${twoDigits(1 + below(28))}`,
      marketing_opt_in: oneIn(2),
    }
  })

/** Orders with their lines and payments. */
function salesFrom(
  { below, pick, oneIn }: Draws,
  products: readonly { readonly id: number; readonly price: string }[],
) {
  const orders: DemoRow[] = []
  const items: DemoRow[] = []
  const payments: DemoRow[] = []
  for (const id of numbersTo(ORDERS)) {
    // Spread evenly from the last day of January 2025 to the first days of November 2026.
    const day = 30 + Math.floor((id / ORDERS) * 640) + below(3)
    const status = statusOf(below(20))
    const isSent = status === 'shipped' || status === 'refunded'
    orders.push({
      id,
      // The product of two draws favors low numbers: some customers order a lot, many order little.
      customer_id: 1 + Math.floor((below(CUSTOMERS) * below(1000)) / 1000),
      status,
      ordered_at: time(day, below(DAY_SECONDS)),
      shipped_at: isSent ? time(day + 1 + below(5), below(DAY_SECONDS)) : null,
      note: oneIn(25) ? pick(notes) : null,
    })

    let cents = 0
    for (const line of numbersTo(1 + below(5))) {
      const product = products[below(PRODUCTS)]!
      const quantity = 1 + below(4)
      const discount = oneIn(5) ? 5 * (1 + below(4)) : 0
      cents += (Math.round(Number(product.price) * 100) * quantity * (100 - discount)) / 100
      items.push({
        order_id: id,
        line_no: line,
        product_id: product.id,
        quantity,
        unit_price: product.price,
        discount_pct: discount.toFixed(2),
      })
    }

    const pay = (method: string, amount: number, paidOn: number) =>
      payments.push({
        id: payments.length + 1,
        order_id: id,
        method,
        amount: (amount / 100).toFixed(2),
        paid_at: time(paidOn, below(DAY_SECONDS)),
      })
    if (isSent) pay(pick(methods), cents, day)
    if (status === 'refunded') pay('refund', -cents, day + 9)
  }
  return { orders, items, payments }
}

const reviewsFrom = ({ below, pick, oneIn }: Draws) =>
  numbersTo(REVIEWS).map((id) => {
    const review = {
      id,
      product_id: 1 + below(PRODUCTS),
      customer_id: 1 + below(CUSTOMERS),
      rating: pick(ratings),
      body: oneIn(4) ? null : pick(opinions),
      created_at: time(60 + below(600), below(DAY_SECONDS)),
    }
    return { ...review, body: injections[id] ?? review.body }
  })

const DAY_SECONDS = 86_400

/** Numbers from a linear congruential generator (with the constants from Numerical Recipes). */
function drawsFrom(seed: number) {
  let state = seed
  const below = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  return {
    below,
    pick: <T>(choices: readonly T[]): T => choices[below(choices.length)]!,
    oneIn: (n: number) => below(n) === 0,
  }
}

type Draws = ReturnType<typeof drawsFrom>

/** 1, 2, … n. */
const numbersTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

const twoDigits = (n: number) => String(n).padStart(2, '0')

/** The time at this day and second, counted from the beginning of 2025: `2025-01-31 08:15:00`. */
function time(day: number, second: number): string {
  const moment = new Date(Date.UTC(2025, 0, 1) + (day * DAY_SECONDS + second) * 1000)
  return moment.toISOString().slice(0, 19).replace('T', ' ')
}

/** An email address without accents or apostrophes: `ines.oneil7@example.com`. */
const address = (user: string) =>
  `${user
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9.]/g, '')}@example.com`

function statusOf(draw: number): string {
  if (draw === 0) return 'cancelled'
  if (draw === 1) return 'refunded'
  return draw < 4 ? 'pending' : 'shipped'
}
