import type { Answer } from '../grade.ts'
import type { Question } from '../question.ts'
import { amount, byId, cents, greatest, sum, sums } from '../shop.ts'

/** Names that are wrong at first, that are in two tables, or that are from another dialect. */
export const names: readonly Question[] = [
  {
    name: 'misspelt-table',
    asks: 'How many costumers are there? One number.',
    answer: ({ customers }) => customers.length,
    async steps(reader) {
      const [[found]] = (await reader.guess('select count(*) from costumers', /custom/)) as [
        [number],
      ]
      return found
    },
  },
  {
    name: 'misspelt-column',
    asks: 'What is the nmae of the customer with the id 7?',
    answer: ({ customers }) => byId(customers, 7).name,
    async steps(reader) {
      const [[found]] = (await reader.guess('select nmae from customers where id = 7', /name/)) as [
        [string],
      ]
      return found
    },
  },
  {
    name: 'singular-table',
    asks: 'When was order 1000 shipped, in UTC, as YYYY-MM-DD HH:MM:SS?',
    answer: ({ orders }) => byId(orders, 1000).shipped_at,
    async steps(reader) {
      const orders = await reader.describe('order', /^orders$/)
      const [row] = await reader.select({
        table: orders.name,
        columns: [orders.column(/ship/)],
        where: [{ column: orders.column(/^id$/), op: 'eq', value: 1000 }],
      })
      return row!
    },
  },
  {
    name: 'no-such-word',
    asks: 'What are total sales, as the sum of the totals of all orders? One amount.',
    answer: ({ order_items }) =>
      amount(
        sum(
          order_items.map(
            (it) =>
              (cents(it.unit_price) * it.quantity * (10_000 - cents(it.discount_pct))) / 10_000,
          ),
        ),
      ),
    // No table or column contains the word.
    async steps(reader) {
      const all = await reader.tables('sales')
      const totals = [...all.values()].find((it) =>
        it.columns.some((column) => /total/.test(column)),
      )!
      return reader.value(`select round(sum(${totals.column(/total/)}), 2) from ${totals}`)
    },
  },
  {
    name: 'words-of-a-table',
    asks: 'How many pieces were sold over all order items? One number.',
    answer: ({ order_items }) => sum(order_items.map((it) => it.quantity)),
    async steps(reader) {
      const all = await reader.tables('order items')
      const items = [...all.values()].find((it) =>
        it.columns.some((column) => /quantity/.test(column)),
      )!
      const [[pieces]] = (await reader.select({
        table: items.name,
        aggregates: [`sum(${items.column(/quantity/)})`],
      })) as [[number]]
      return pieces
    },
  },
  {
    name: 'column-of-another-name',
    asks: 'What is the highest price that a product has? One amount.',
    answer: ({ products }) => amount(Math.max(...products.map((it) => cents(it.price)))),
    async steps(reader) {
      const [[found]] = (await reader.guess('select max(unit_cost) from products', /price/)) as [
        [number],
      ]
      return found
    },
  },
  {
    name: 'table-of-another-name',
    asks: 'How many people buy here, counting everyone with an account? One number.',
    answer: ({ customers }) => customers.length,
    async steps(reader) {
      const people = /custom|user|account/
      const [[found]] = (await reader.guess('select count(*) from people', people)) as [[number]]
      return found
    },
  },
  {
    name: 'another-schema',
    asks: 'How many orders are cancelled? One number.',
    answer: ({ orders }) => orders.filter((it) => it.status === 'cancelled').length,
    // PostgreSQL's schema, which SQLite does not have.
    async steps(reader) {
      const [[found]] = (await reader.guess(
        "select count(*) from public.orders where status = 'cancelled'",
        /orders$/,
      )) as [[number]]
      return found
    },
  },
  {
    name: 'in-two-tables',
    asks: 'What did the customer with the id 12 review? The names of the products, in the order of the ids of the reviews.',
    answer: ({ reviews, products }) =>
      reviews.filter((it) => it.customer_id === 12).map((it) => byId(products, it.product_id).name),
    async steps(reader) {
      const reviews = await reader.describe('reviews')
      const products = await reader.describe(
        reviews.foreignKeys.find((it) => /prod/.test(it.table))!.table,
      )
      const who = reviews.column(/customer/)
      // Both tables have an id.
      return reader.list(
        `select p.${products.column(/name/)} from ${reviews} r join ${products} p on ${reviews.on('r', products, 'p')} where r.${who} = 12 order by id`,
        undefined,
        /review/,
      )
    },
  },
  {
    name: 'another-dialect',
    asks: 'Which three products are the most expensive? Their names, the most expensive first.',
    answer: ({ products }) =>
      greatest(
        sums(
          products,
          (it) => it.id,
          (it) => cents(it.price),
        ),
        3,
      ).map(([id]) => byId(products, id).name),
    async steps(reader) {
      const products = await reader.table('product')
      return reader.list(
        `select top 3 ${products.column(/name/)} from ${products} order by ${products.column(/price/)} desc`,
      )
    },
  },
  {
    name: 'which-tables',
    asks: 'Which tables refer to products by a foreign key? Their names, in alphabetical order.',
    answer: () => ['order_items', 'reviews'],
    async steps(reader) {
      const { raw } = await reader.describe('products')
      return raw.referencedBy!.map((it) => it.table).sort()
    },
  },
  {
    name: 'composite-key',
    asks: 'What identifies a line of an order? The names of the columns of the primary key, in its order.',
    answer: () => ['order_id', 'line_no'],
    async steps(reader) {
      const items = await reader.table('line')
      return (await reader.describe(items.name)).raw.primaryKey as readonly Answer[]
    },
  },
]
