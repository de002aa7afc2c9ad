import type { Question } from '../question.ts'
import type { Reader, Table } from '../reader.ts'
import { amount, cents, sum } from '../shop.ts'

/** The number of rows that match conditions, from query_table. */
async function count(reader: Reader, table: Table, where: readonly object[]) {
  const [[found]] = (await reader.select({
    table: table.name,
    aggregates: ['count(*)'],
    where,
  })) as [[number]]
  return found
}

/** NULL and the empty string, long numbers, accents, apostrophes, emoji, JSON, booleans. */
export const values: readonly Question[] = [
  {
    name: 'no-weight',
    asks: 'For how many products is the weight not known? One number.',
    answer: ({ products }) => products.filter((it) => it.weight_g === null).length,
    async steps(reader) {
      const products = await reader.table('weight')
      return count(reader, products, [{ column: products.column(/weight/), op: 'is_null' }])
    },
  },
  {
    name: 'mean-weight',
    asks: 'What is the mean weight in grams of the products whose weight is known? One number, to two decimals.',
    answer: ({ products }) => {
      const known = products.flatMap(({ weight_g }) => (weight_g === null ? [] : [weight_g]))
      return Math.round((sum(known) / known.length) * 100) / 100
    },
    async steps(reader) {
      const products = await reader.table('weight')
      return reader.value(`select round(avg(${products.column(/weight/)}), 2) from ${products}`)
    },
  },
  {
    name: 'empty-notes',
    asks: 'How many orders have a note that is there but empty, and how many have none? [empty, none].',
    answer: ({ orders }) => [
      orders.filter((it) => it.note === '').length,
      orders.filter((it) => it.note === null).length,
    ],
    async steps(reader) {
      const orders = await reader.table('note')
      const note = orders.column(/note/)
      return reader.row(
        `select count(case when ${note} = '' then 1 end), count(*) - count(${note}) from ${orders}`,
      )
    },
  },
  {
    name: 'no-gift',
    asks: 'How many orders are not noted as "gift"? Those without a note count too. One number.',
    answer: ({ orders }) => orders.filter((it) => it.note !== 'gift').length,
    async steps(reader) {
      const orders = await reader.table('note')
      const note = orders.column(/note/)
      return reader.value(
        `select count(*) from ${orders} where ${note} is null or ${note} <> 'gift'`,
      )
    },
  },
  {
    name: 'product-of-ean',
    asks: 'Which product has the EAN 9007199255425787? Its name.',
    answer: ({ products }) => products.find((it) => it.ean === '9007199255425787')!.name,
    async steps(reader) {
      const products = await reader.table('ean')
      const [name, ean] = [products.column(/name/), products.column(/ean/)]
      const sql = `select ${name} from ${products} where ${ean} = $1`
      // A number is rounded in transit, so the error has to say how to send the value.
      const { text } = await reader.attempt('query', { sql, params: [Number('9007199255425787')] })
      if (!/as a string/.test(text)) throw new Error(`It says: ${text}`)
      return reader.value(sql, ['9007199255425787'])
    },
  },
  {
    name: 'eans-in-sum',
    asks: 'What is the sum of the EANs of the products with the ids 1 and 2, digit by digit?',
    answer: ({ products }) => String(BigInt(products[0]!.ean) + BigInt(products[1]!.ean)),
    async steps(reader) {
      const products = await reader.table('ean')
      const [id, ean] = [products.column(/^id$/), products.column(/ean/)]
      return reader.value(`select sum(${ean}) from ${products} where ${id} in (1, 2)`)
    },
  },
  {
    name: 'apostrophe',
    asks: "How many customers are called O'Neil by their last name? One number.",
    answer: ({ customers }) => customers.filter((it) => it.name.endsWith(" O'Neil")).length,
    async steps(reader) {
      const customers = await reader.table('customer')
      const name = customers.column(/name/)
      return count(reader, customers, [{ column: name, op: 'like', value: "% O'Neil" }])
    },
  },
  {
    name: 'emoji',
    asks: 'How many reviews hold a 😕? One number.',
    answer: ({ reviews }) => reviews.filter((it) => it.body?.includes('😕')).length,
    async steps(reader) {
      const reviews = await reader.table('review')
      return count(reader, reviews, [
        { column: reviews.column(/body|text/), op: 'contains', value: '😕' },
      ])
    },
  },
  {
    name: 'colour',
    asks: 'How many products are blue, and what do these cost on average? [products, mean price to two decimals].',
    answer: ({ products }) => {
      const blue = products.filter((it) => it.attributes?.includes('"color":"blue"'))
      return [blue.length, amount(sum(blue.map((it) => cents(it.price))) / blue.length)]
    },
    async steps(reader) {
      const products = await reader.table('product')
      const [attributes, price] = [products.column(/attribute|color/), products.column(/price/)]
      await reader.select({
        table: products.name,
        columns: [attributes],
        where: [{ column: attributes, op: 'not_null' }],
        limit: 1,
      })
      return reader.row(
        `select count(*), round(avg(${price}), 2) from ${products} where ${attributes} ->> 'color' = 'blue'`,
      )
    },
  },
  {
    name: 'truth',
    asks: 'How many products are discontinued? One number.',
    answer: ({ products }) => products.filter((it) => it.discontinued).length,
    async steps(reader) {
      const products = await reader.table('discontinued')
      // According to the schema, a value is a string.
      return count(reader, products, [
        { column: products.column(/discontinued/), op: 'eq', value: 'true' },
      ])
    },
  },
]
