import type { Question } from '../question.ts'
import { amount, byId, cents, greatest, lineCents, sum, sums } from '../shop.ts'

/** Joins, refunds and sums. */
export const money: readonly Question[] = [
  {
    name: 'income-2025',
    asks: 'How much money did customers pay in 2025, refunds taken off? One amount.',
    answer: ({ payments }) =>
      amount(
        sum(payments.filter((it) => it.paid_at.startsWith('2025')).map((it) => cents(it.amount))),
      ),
    async steps(reader) {
      const payments = await reader.table('payment')
      const [paid, at] = [payments.column(/amount|total/), payments.column(/_at|date/)]
      return reader.value(
        `select round(sum(${paid}), 2) from ${payments} where ${at} >= '2025-01-01' and ${at} < '2026-01-01'`,
      )
    },
  },
  {
    name: 'refunds',
    asks: 'How much was refunded in all, as a positive amount?',
    answer: ({ payments }) =>
      amount(-sum(payments.map((it) => cents(it.amount)).filter((it) => it < 0))),
    async steps(reader) {
      const payments = await reader.table('payment')
      const [paid, method] = [payments.column(/amount|total/), payments.column(/method|type|kind/)]
      const kinds = await reader.values(payments, method)
      const refund = kinds.find((it) => /refund/.test(String(it)))!
      const [[total]] = (await reader.select({
        table: payments.name,
        aggregates: [`sum(${paid})`],
        where: [{ column: method, op: 'eq', value: refund }],
      })) as [[number]]
      return -total
    },
  },
  {
    name: 'refunded-after-how-long',
    asks: 'Between the first payment of an order and its refund, how many days pass on average? One number, to one decimal.',
    answer: ({ payments }) => {
      const refunds = payments.filter((it) => it.method === 'refund')
      const days = refunds.map((refund) => {
        const paid = payments.find((it) => it.order_id === refund.order_id && it.id !== refund.id)!
        return (Date.parse(refund.paid_at) - Date.parse(paid.paid_at)) / 86_400_000
      })
      return Math.round((sum(days) / days.length) * 10) / 10
    },
    async steps(reader) {
      const payments = await reader.table('payment')
      const [order, method] = [payments.column(/order/), payments.column(/method/)]
      const [at, paid] = [payments.column(/_at/), payments.column(/amount/)]
      await reader.values(payments, method)
      return reader.value(`select round(avg(julianday(r.${at}) - julianday(p.${at})), 1)
        from ${payments} r join ${payments} p on p.${order} = r.${order} and p.${paid} > 0
        where r.${method} = 'refund'`)
    },
  },
  {
    name: 'best-customers-2025',
    asks: 'Which five customers paid most in 2025, refunds taken off? A list of [id, name], best first.',
    answer: ({ payments, orders, customers }) => {
      const paid = payments.filter((it) => it.paid_at.startsWith('2025'))
      const customer = (order: number) => byId(orders, order).customer_id
      const of = sums(
        paid,
        (it) => customer(it.order_id),
        (it) => cents(it.amount),
      )
      return greatest(of, 5).map(([id]) => [id, byId(customers, id).name])
    },
    async steps(reader) {
      const payments = await reader.describe((await reader.table('payment')).name)
      const orders = await reader.describe(payments.foreignKeys[0]!.table)
      const customers = await reader.describe(orders.foreignKeys[0]!.table)
      const [id, name] = [customers.column(/^id$/), customers.column(/name/)]
      const [paid, at] = [payments.column(/amount/), payments.column(/_at/)]
      return reader.rows(`select c.${id}, c.${name}
        from ${payments} p join ${orders} o on ${payments.on('p', orders, 'o')}
        join ${customers} c on ${orders.on('o', customers, 'c')}
        where p.${at} >= '2025-01-01' and p.${at} < '2026-01-01'
        group by c.${id}, c.${name} order by sum(p.${paid}) desc, c.${id} limit 5`)
    },
  },
  {
    name: 'best-category',
    asks: 'Which product category sold most, by the value of order lines after discount, over all orders? [name, value].',
    answer: ({ order_items, products, categories }) => {
      const category = (product: number) => byId(products, product).category_id
      const [[id, value]] = greatest(
        sums(order_items, (it) => category(it.product_id), lineCents),
        1,
      ) as [[number, number]]
      return [byId(categories, id).name, amount(value)]
    },
    async steps(reader) {
      const all = await reader.tables()
      const [items, products] = [all.get('order_items')!, all.get('products')!]
      const categories = all.get('categories')!
      return reader.row(`select c.${categories.column(/name/)},
        round(sum(i.${items.column(/quantity/)} * i.${items.column(/price/)} * (100 - i.${items.column(/discount/)}) / 100.0), 2) as value
        from ${items} i join ${products} p on p.${products.column(/^id$/)} = i.${items.column(/product/)}
        join ${categories} c on c.${categories.column(/^id$/)} = p.${products.column(/category/)}
        group by 1 order by 2 desc limit 1`)
    },
  },
  {
    name: 'best-department',
    asks: 'Categories belong to broader ones. Which of the broadest sold most order lines (a count of lines)? [name, lines].',
    answer: ({ order_items, products, categories }) => {
      const parent = (product: number) =>
        byId(categories, byId(products, product).category_id).parent_id!
      const of = sums(
        order_items,
        (it) => parent(it.product_id),
        () => 1,
      )
      const [[id, lines]] = greatest(of, 1) as [[number, number]]
      return [byId(categories, id).name, lines]
    },
    async steps(reader) {
      const categories = await reader.describe('categories')
      const [own] = categories.foreignKeys
      const products = await reader.describe(categories.raw.referencedBy![1]!.table)
      const items = await reader.describe(products.raw.referencedBy![0]!.table)
      if (own?.table !== categories.name) throw new Error('No table of categories within others.')
      return reader.row(`select parent.${categories.column(/name/)}, count(*)
        from ${items} i join ${products} p on ${items.on('i', products, 'p')}
        join ${categories} c on ${products.on('p', categories, 'c')}
        join ${categories} parent on ${categories.on('c', categories, 'parent')}
        group by 1 order by 2 desc limit 1`)
    },
  },
  {
    name: 'unpaid-orders',
    asks: 'How many orders have no payment at all? One number.',
    answer: ({ orders, payments }) => {
      const paid = new Set(payments.map((it) => it.order_id))
      return orders.filter((it) => !paid.has(it.id)).length
    },
    async steps(reader) {
      const payments = await reader.describe((await reader.table('payment')).name)
      const [key] = payments.foreignKeys
      return reader.value(`select count(*) from ${key!.table} o
        left join ${payments} p on p.${key!.columns[0]} = o.${key!.tableColumns[0]}
        where p.${payments.column(/^id$/)} is null`)
    },
  },
  {
    name: 'largest-order',
    asks: 'Which order has the highest total? [id of the order, total].',
    answer: ({ order_items }) => {
      const [[id, total]] = greatest(
        sums(order_items, (it) => it.order_id, lineCents),
        1,
      ) as [[number, number]]
      return [id, amount(total)]
    },
    async steps(reader) {
      const totals = await reader.table('total')
      const [row] = await reader.select({
        table: totals.name,
        columns: [totals.column(/order/), totals.column(/^total$/)],
        orderBy: [`${totals.column(/^total$/)} desc`],
        limit: 1,
      })
      return row!
    },
  },
  {
    name: 'pays-like-ordered',
    asks: 'For how many shipped orders do the payments differ from the total of the order by more than one cent? One number.',
    answer: ({ orders, order_items, payments }) => {
      const total = sums(order_items, (it) => it.order_id, lineCents)
      const paid = sums(
        payments,
        (it) => it.order_id,
        (it) => cents(it.amount),
      )
      const shipped = orders.filter((it) => it.status === 'shipped')
      return shipped.filter(({ id }) => Math.abs(total.get(id)! - (paid.get(id) ?? 0)) > 1).length
    },
    async steps(reader) {
      const [payments, totals] = [await reader.table('payment'), await reader.table('total')]
      const [status, order] = [totals.column(/status/), totals.column(/order/)]
      await reader.values(totals, status)
      return reader.value(`select count(*) from ${totals} t
        left join (select ${payments.column(/order/)} as paid_for, sum(${payments.column(/amount/)}) as paid
          from ${payments} group by 1) p on p.paid_for = t.${order}
        where t.${status} = 'shipped' and abs(t.${totals.column(/^total$/)} - coalesce(p.paid, 0)) > 0.011`)
    },
  },
]
