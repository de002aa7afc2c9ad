import type { CallRecord } from '../../src/registry/records/record.ts'
import { demoIn } from '../support/demo-statements.ts'
import { startPostgres } from '../support/postgres.ts'
import { askApi } from '../support/registry-api.ts'
import type { RunningWorker } from '../support/worker.ts'
import { recordOf, writeRecords } from '../support/written-records.ts'

const HOUR = 3_600_000
const PASSWORD = 'Planted-Passw0rd'

/** The hosts that {@link fillShop} writes: this machine, and some that do not exist. */
export const SHOP_HOSTS = '127.0.0.1,events.example.com,archive.example.com'

/** A shop's database: on PostgreSQL if available, or else the demo, which has the same tables. */
export async function startShop() {
  const postgres = await startPostgres(demoIn('postgres'))
  const tcp = (user?: string) =>
    `${postgres?.tcp(user).replace('@', `:${PASSWORD}@`)}?sslmode=disable`
  return {
    url: postgres ? tcp(postgres.reader) : 'demo:',
    /** The URL for a role that may do more than read. */
    ownerUrl: postgres ? tcp() : 'demo:',
    close: async () => postgres?.drop(),
  }
}

export type Shop = Awaited<ReturnType<typeof startShop>>

const REVENUE = `select c.country, sum(p.amount) as revenue
from payments p
join orders o on o.id = p.order_id
join customers c on c.id = o.customer_id
group by c.country
order by revenue desc
limit 5`

const glossary = {
  orders: {
    description: 'One row for each order, also those that were cancelled.',
    columns: {
      status: 'Where it is: pending, paid, shipped, delivered, cancelled or returned',
      ordered_at: 'When the customer placed it, in UTC',
    },
  },
  payments: { description: 'What was paid for an order. An order may be paid in parts.' },
  invoices: { description: 'Invoices of the old system' },
}

/** Fills a registry with a shop: keys, groups, descriptions, questions and a day of calls. */
export async function fillShop(worker: RunningWorker, { url, ownerUrl }: Shop) {
  const api = async (method: string, path: string, body?: unknown) => {
    const { status, text, json } = await askApi(worker, method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json
  }
  const add = (name: string, title: string, url: string, more: object = {}) =>
    api('POST', '/api/endpoints', { name, title, databases: { main: { url } }, ...more })
  await add('shop', 'Web shop', url, {
    terms: { revenue: 'The sum of payments.amount, in euros', 'active customer': 'Has an order' },
  })
  await api('PATCH', '/api/endpoints/shop', { databases: { main: { glossary } } })
  await add('ledger', 'Ledger', `mysql://reader:${PASSWORD}@127.0.0.1:9/ledger`)
  await add('events', 'Events', `clickhouses://reader:${PASSWORD}@events.example.com/events`)
  await add('archive', 'Archive of 2019', 'libsql://archive.example.com?authToken=abc', {
    active: false,
  })
  await add('draft', 'Draft', ownerUrl, { active: false })
  const question = (name: string, sql: string, question: string, as = 'tool') =>
    api('PUT', `/api/endpoints/shop/questions/${name}`, { question, sql, as })
  await question('revenue_by_country', REVENUE, 'Which countries bring the most revenue?')
  await question('orders_by_status', COUNTS, 'How many orders are in each state?', 'example')
  const key = { label: 'Ada, laptop', person: 'ada@example.com', endpoints: ['shop', 'events'] }
  await api('POST', '/api/keys', key)
  const nightly = await api('POST', '/api/keys', { label: 'Nightly report', endpoints: ['*'] })
  await api('POST', '/api/groups', {
    name: 'analysts',
    title: 'Analysts',
    people: ['bo@example.com', 'mei@example.com'],
    keys: [nightly.id],
    endpoints: {
      shop: { databases: { main: { tables: { orders: true, customers: ['id', 'country'] } } } },
    },
  })
  await writeRecords(worker, callsOfADay(`key:${nightly.id}`))
}

const COUNTS = 'select status, count(*) as orders from orders group by status order by 2 desc'

/** One day's calls, which are the same each time except for their times. */
function callsOfADay(nightly: string): CallRecord[] {
  const random = randomOf(7)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const callers = [
    'ada@example.com',
    'ada@example.com',
    'bo@example.com',
    'mei@example.com',
    nightly,
  ]
  const apps = { [nightly]: { name: 'curl', version: '8.9' } }
  const others = [{ name: 'claude-ai' }, { name: 'Cursor', version: '3.1' }, { name: 'ChatGPT' }]
  const calls = (endpoint: string, count: number, since: number) =>
    Array.from({ length: count }, (_, i) => {
      const caller = pick(callers)
      const { tool, sql } = pick(ASKED)
      return recordOf(endpoint, ((i + random()) / count) ** 1.5 * since + 20_000, {
        ...{ caller, client: apps[caller] ?? others[caller.length % others.length], tool },
        ...(sql && { statements: [{ database: 'main', sql }] }),
        ...{ rows: Math.ceil(random() ** 3 * 60), bytes: Math.ceil(random() * 4_000) },
        milliseconds: Math.ceil(8 + random() ** 6 * 300),
        ...(random() < 0.03 ? pick(FAULTS) : {}),
      })
    })
  const failing = { outcome: 'error', code: 'network', rows: 0, milliseconds: 31 } as const
  return [
    ...calls('shop', 700, 23 * HOUR),
    ...calls('events', 180, 9 * HOUR),
    ...calls('ledger', 90, 20 * HOUR).map((it) => ({ ...it, ...failing })),
    ...calls('archive', 30, 20 * HOUR),
  ]
}

const ASKED: readonly { readonly tool: string; readonly sql?: string }[] = [
  { tool: 'list_tables' },
  { tool: 'describe_table' },
  {
    tool: 'query',
    sql: 'select status, count(*) from orders where ordered_at > ? group by status',
  },
  { tool: 'query', sql: REVENUE },
  { tool: 'query', sql: 'select name, price from products where price > ? order by price desc' },
  { tool: 'query_table', sql: 'select country, count(*) from customers group by country' },
  { tool: 'revenue_by_country', sql: REVENUE },
]

const FAULTS: readonly Partial<CallRecord>[] = [
  { outcome: 'refused', code: 'refused', rows: 0 },
  { outcome: 'error', code: 'sql', rows: 0 },
  { outcome: 'error', code: 'timeout', rows: 0, milliseconds: 503 },
]

/** Numbers that look random and are the same each time (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let it = Math.imul(state ^ (state >>> 15), 1 | state)
    it = (it + Math.imul(it ^ (it >>> 7), 61 | it)) ^ it
    return ((it ^ (it >>> 14)) >>> 0) / 2 ** 32
  }
}
