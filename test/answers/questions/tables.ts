import type { Question } from '../question.ts'
import { amount, byId, cents, greatest, sum, sums } from '../shop.ts'

/** Questions about one table, which query_table answers without SQL. */
export const tables: readonly Question[] = [
  {
    name: 'by-status',
    asks: 'How many orders are there of each status? A list of [status, orders], most first.',
    answer: ({ orders }) =>
      greatest(
        sums(
          orders,
          (it) => it.status,
          () => 1,
        ),
        9,
      ),
    async steps(reader) {
      const orders = await reader.table('orders')
      return reader.select({
        table: orders.name,
        columns: [orders.column(/status/)],
        aggregates: ['count(*)'],
        orderBy: ['count(*) desc'],
      })
    },
  },
  {
    name: 'price-range',
    asks: 'How many products cost from 50 to 100, both included? One number.',
    answer: ({ products }) =>
      products.filter((it) => cents(it.price) >= 5_000 && cents(it.price) <= 10_000).length,
    async steps(reader) {
      const products = await reader.table('product')
      const [[found]] = (await reader.select({
        table: products.name,
        aggregates: ['count(*)'],
        where: [{ column: products.column(/price/), op: 'between', value: ['50', '100'] }],
      })) as [[number]]
      return found
    },
  },
  {
    name: 'sign-for-an-operator',
    asks: 'How many reviews give more than 3? One number.',
    answer: ({ reviews }) => reviews.filter((it) => it.rating > 3).length,
    async steps(reader) {
      const reviews = await reader.table('rating')
      const [[found]] = (await reader.select({
        table: reviews.name,
        aggregates: ['count(*)'],
        where: [{ column: reviews.column(/rating/), op: '>', value: '3' }],
      })) as [[number]]
      return found
    },
  },
  {
    name: 'count-without-star',
    asks: 'Which country do most customers live in? Its ISO code.',
    answer: ({ customers }) =>
      greatest(
        sums(
          customers,
          (it) => it.country,
          () => 1,
        ),
        1,
      )[0]![0],
    async steps(reader) {
      const customers = await reader.table('country')
      const [[country]] = (await reader.select(
        {
          table: customers.name,
          columns: [customers.column(/country/)],
          aggregates: ['count'],
          orderBy: ['count desc'],
          limit: 1,
        },
        /count\(/,
      )) as [[string]]
      return country
    },
  },
  {
    name: 'distinct',
    asks: 'How many different customers have ordered anything? One number.',
    answer: ({ orders }) => new Set(orders.map((it) => it.customer_id)).size,
    async steps(reader) {
      const orders = await reader.table('orders')
      const [[found]] = (await reader.select({
        table: orders.name,
        aggregates: [`count(distinct ${orders.column(/customer/)})`],
      })) as [[number]]
      return found
    },
  },
  {
    name: 'second-page',
    asks: 'In the list of customers by the time they signed up, who are the 11th to the 15th? Their names, in that order.',
    answer: ({ customers }) =>
      [...customers]
        .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
        .slice(10, 15)
        .map((it) => it.name),
    async steps(reader) {
      const customers = await reader.table('customer')
      const rows = await reader.select({
        table: customers.name,
        columns: [customers.column(/name/)],
        orderBy: [customers.column(/created|sign/)],
        limit: 5,
        offset: 10,
      })
      return rows.map(([name]) => name!)
    },
  },
  {
    name: 'a-line-of-an-order',
    asks: 'What stands in line 2 of order 2017? [id of the product, quantity, price of a piece].',
    answer: ({ order_items }) => {
      const line = order_items.find((it) => it.order_id === 2017 && it.line_no === 2)!
      return [line.product_id, line.quantity, amount(cents(line.unit_price))]
    },
    async steps(reader) {
      const items = await reader.table('line')
      const [row] = await reader.select({
        table: items.name,
        columns: [/product/, /quantity/, /price/].map((it) => items.column(it)),
        where: [
          { column: items.column(/order/), op: 'eq', value: 2017 },
          { column: items.column(/line/), op: 'eq', value: 2 },
        ],
      })
      return row!
    },
  },
  {
    name: 'nobody',
    asks: 'Which customers live in Switzerland (countries are ISO codes)? Their names, an empty list if nobody does.',
    answer: ({ customers }) => customers.filter((it) => it.country === 'CH').map((it) => it.name),
    async steps(reader) {
      const customers = await reader.table('country')
      const rows = await reader.select({
        table: customers.name,
        columns: [customers.column(/name/)],
        where: [{ column: customers.column(/country/), op: 'eq', value: 'CH' }],
      })
      return rows.map(([name]) => name!)
    },
  },
  {
    name: 'never-ordered',
    asks: 'Which products has nobody ever ordered? Their ids, an empty list if there are none.',
    answer: ({ products, order_items }) => {
      const ordered = new Set(order_items.map((it) => it.product_id))
      return products.filter((it) => !ordered.has(it.id)).map((it) => it.id)
    },
    async steps(reader) {
      const items = await reader.describe('order_items')
      const products = await reader.describe('products')
      const key = items.foreignKeys.find((it) => it.table === products.name)!
      return reader.list(
        `select ${key.tableColumns[0]} from ${products} where ${key.tableColumns[0]} not in (select ${key.columns[0]} from ${items})`,
      )
    },
  },
  {
    name: 'best-rated',
    asks: 'Of the products with at least eight reviews, which has the best mean rating, and what is it? [name, rating to two decimals]; the lower id where two tie.',
    answer: ({ products, reviews }) => {
      const means = new Map<number, number>()
      for (const { id } of products) {
        const of = reviews.filter((it) => it.product_id === id).map((it) => it.rating)
        if (of.length >= 8) means.set(id, sum(of) / of.length)
      }
      const [[id, mean]] = greatest(means, 1) as [[number, number]]
      return [byId(products, id).name, Math.round(mean * 100) / 100]
    },
    async steps(reader) {
      const reviews = await reader.describe('reviews')
      const products = await reader.describe(
        reviews.foreignKeys.find((it) => /prod/.test(it.table))!.table,
      )
      const [id, rating] = [products.column(/^id$/), reviews.column(/rating/)]
      return reader.row(`select p.${products.column(/name/)}, round(avg(r.${rating}), 2)
        from ${reviews} r join ${products} p on ${reviews.on('r', products, 'p')}
        group by p.${id} having count(*) >= 8 order by avg(r.${rating}) desc, p.${id} limit 1`)
    },
  },
]
