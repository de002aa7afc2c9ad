import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { demoRows } from '../../../src/database/demo/rows.ts'
import { demoStatements, EDITION } from '../../../src/database/demo/statements.ts'

const counts = {
  categories: 14,
  products: 90,
  customers: 300,
  orders: 2400,
  order_items: 7209,
  payments: 2119,
  reviews: 500,
}

describe('the rows of the demo store', () => {
  test('are the same on every call', () => {
    expect(demoRows()).toEqual(demoRows())
  })

  test('are so many', () => {
    const lengths = Object.entries(demoRows()).map(([table, rows]) => [table, rows.length])
    expect(Object.fromEntries(lengths)).toEqual(counts)
  })

  test('have the fields of their table in the same order in every row', () => {
    for (const rows of Object.values(demoRows())) {
      const fields = new Set(rows.map((row) => Object.keys(row).join()))
      expect(fields.size).toBe(1)
    }
  })

  test('add up, to the cent and without doubles', () => {
    const { order_items = [], payments = [] } = demoRows()
    const hundredths = (decimal: unknown) => BigInt(String(decimal).replace('.', ''))
    const ordered = order_items.reduce((sum, { quantity, unit_price, discount_pct }) => {
      const percent = 10_000n - hundredths(discount_pct)
      return sum + BigInt(Number(quantity)) * hundredths(unit_price) * percent
    }, 0n)
    expect(ordered).toBe(1_965_359_603500n)
    expect(payments.reduce((sum, { amount }) => sum + hundredths(amount), 0n)).toBe(1_553_884_58n)
  })

  test('hold what makes a database awkward', () => {
    const { categories, products = [], customers, reviews, payments } = demoRows()
    expect(products.every(({ ean }) => Number(ean) > Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(products.every(({ ean }) => String(Number(ean)) !== ean)).toBe(true)
    expect(products.filter(({ attributes }) => attributes === null)).not.toHaveLength(0)
    expect(categories?.filter(({ parent_id }) => parent_id !== null)).toHaveLength(8)
    expect(customers?.some(({ name }) => String(name).includes("'"))).toBe(true)
    expect(reviews?.some(({ body }) => body === 'Too small 😕')).toBe(true)
    expect(
      reviews?.filter(({ body }) => /instructions|hint|<result>/.test(`${body}`)),
    ).toHaveLength(3)
    expect(payments?.some(({ amount }) => Number(amount) < 0)).toBe(true)
  })

  test('span the years 2025 and 2026, up to two weeks before the edition', () => {
    const days = demoRows()
      .orders!.map(({ ordered_at }) => String(ordered_at))
      .sort()
    expect(days[0]).toMatch(/^2025-0[12]-/)
    expect(days.at(-1)).toMatch(/^2026-11-/)
    expect(days.at(-1)! < EDITION).toBe(true)
  })
})

describe('the statements of the demo store', () => {
  test('make the same totals in SQLite', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('pragma foreign_keys = on')
    for (const statement of demoStatements()) database.exec(statement)
    const one = (sql: string) => Object.values(database.prepare(sql).get()!)[0]

    for (const [table, rows] of Object.entries(counts)) {
      expect(one(`select count(*) from ${table}`)).toBe(rows)
    }
    expect(one('select count(*) from order_totals')).toBe(2400)
    expect(one('select round(sum(total), 2) from order_totals')).toBe(1_965_359.6)
    expect(one('select round(sum(amount), 2) from payments')).toBe(1_553_884.58)
    expect(one('select count(*) from pragma_foreign_key_check')).toBe(0)
    expect(one('select cast(ean as text) from products where id = 1')).toBe('9007199255425787')
  })

  test('fit into what a Durable Object takes', () => {
    for (const statement of demoStatements()) {
      expect(Buffer.byteLength(statement)).toBeLessThanOrEqual(90_000)
    }
  })

  test('have an edition that changes with them: correct both, or neither', () => {
    const hash = createHash('sha256')
    for (const statement of demoStatements()) hash.update(statement)
    expect([EDITION, hash.digest('hex').slice(0, 16)]).toEqual(['2026-11-21.2', '6787e9c090ab5c12'])
  })
})
