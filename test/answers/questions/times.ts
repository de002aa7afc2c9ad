import type { Question } from '../question.ts'
import type { Reader } from '../reader.ts'
import { greatest, moment, type Shop, sum, sums } from '../shop.ts'

const DAY = 86_400_000

/** The number of orders from one time up to another, both in ISO 8601 with a time zone. */
const between = ({ orders }: Shop, from: string, to: string) =>
  orders.filter(({ ordered_at }) => {
    const at = moment(ordered_at)
    return at >= Date.parse(from) && at < Date.parse(to)
  }).length

/**
 * Counts orders from one time up to another, in the format and the time zone of the store. The reader
 * finds the format in the rows and the time zone in the instructions.
 */
async function count(reader: Reader, from: string, to: string) {
  if (!/UTC/.test(reader.conversation.host.instructions))
    throw new Error('Nobody tells of a time zone.')
  const orders = await reader.table('orders')
  const at = orders.column(/order.*_at|date/)
  const [[example]] = (await reader.select({ table: orders.name, columns: [at], limit: 1 })) as [
    [string],
  ]
  const inUtc = (time: string) => {
    const iso = new Date(time).toISOString().slice(0, 19)
    return example.includes(' ') ? iso.replace('T', ' ') : iso
  }
  const [[found]] = (await reader.select({
    table: orders.name,
    aggregates: ['count(*)'],
    where: [
      { column: at, op: 'gte', value: inUtc(from) },
      { column: at, op: 'lt', value: inUtc(to) },
    ],
  })) as [[number]]
  return found
}

/** Asks for the orders in a period, which is described in words with a place. */
const placed = (name: string, when: string, from: string, to: string): Question => ({
  name,
  asks: `How many orders were placed ${when}? One number.`,
  answer: (shop) => between(shop, from, to),
  steps: (reader) => count(reader, from, to),
})

/** Time zones, boundaries, calendars. */
export const times: readonly Question[] = [
  placed(
    'berlin-summer-day',
    'on 4 July 2026, Berlin time',
    '2026-07-04T00:00:00+02:00',
    '2026-07-05T00:00:00+02:00',
  ),
  placed(
    'short-day',
    'on 29 March 2026, Berlin time, when clocks went forward',
    '2026-03-29T00:00:00+01:00',
    '2026-03-30T00:00:00+02:00',
  ),
  placed(
    'new-york-year',
    'in the year 2025 as New York counts it',
    '2025-01-01T00:00:00-05:00',
    '2026-01-01T00:00:00-05:00',
  ),
  {
    name: 'busiest-month',
    asks: 'In which month, as YYYY-MM, were most orders placed, and how many? UTC. [month, orders].',
    answer: ({ orders }) =>
      greatest(
        sums(
          orders,
          (it) => it.ordered_at.slice(0, 7),
          () => 1,
        ),
        1,
      )[0]!,
    // The function is PostgreSQL's, and the error must lead to the one of the dialect.
    async steps(reader) {
      const orders = await reader.table('orders')
      const at = orders.column(/order.*_at/)
      return reader.row(
        `select date_trunc('month', ${at}) as month, count(*) from ${orders} group by 1 order by 2 desc, 1 limit 1`,
      )
    },
  },
  {
    name: 'quietest-weekday',
    asks: 'On which weekday (0 is Sunday, 6 is Saturday; UTC) are fewest orders placed? One number.',
    answer: ({ orders }) => {
      const of = sums(
        orders,
        (it) => new Date(moment(it.ordered_at)).getUTCDay(),
        () => 1,
      )
      return greatest(of, 7).at(-1)![0]
    },
    async steps(reader) {
      const orders = await reader.table('orders')
      const at = orders.column(/order.*_at/)
      const [day] = await reader.row(
        `select strftime('%w', ${at}), count(*) from ${orders} group by 1 order by 2, 1 limit 1`,
      )
      return Number(day)
    },
  },
  {
    name: 'days-to-ship',
    asks: 'From order to shipment, how many days does it take on average? One number, to two decimals.',
    answer: ({ orders }) => {
      const days = orders.flatMap(({ ordered_at, shipped_at }) =>
        shipped_at ? [(moment(shipped_at) - moment(ordered_at)) / DAY] : [],
      )
      return Math.round((sum(days) / days.length) * 100) / 100
    },
    // The function is MySQL's.
    async steps(reader) {
      const orders = await reader.table('orders')
      const [at, shipped] = [orders.column(/order.*_at/), orders.column(/ship/)]
      return reader.value(`select round(avg(datediff(${shipped}, ${at})), 2) from ${orders}`)
    },
  },
  {
    name: 'slow-year-ends',
    asks: 'Which orders were placed in 2025 and shipped in 2026 (UTC)? Their ids in ascending order.',
    answer: ({ orders }) =>
      orders
        .filter((it) => it.ordered_at < '2026' && it.shipped_at?.startsWith('2026'))
        .map((it) => it.id),
    async steps(reader) {
      const orders = await reader.table('ship')
      const [id, at, shipped] = [/^id$/, /order.*_at/, /ship/].map((it) => orders.column(it))
      return reader.list(
        `select ${id} from ${orders} where ${at} < $1 and ${shipped} >= $1 order by ${id}`,
        ['2026-01-01'],
      )
    },
  },
]
