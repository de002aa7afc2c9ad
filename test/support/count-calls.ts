import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { startCounting } from '../servers/counting.ts'
import { endpointBefore, structureOf } from './endpoint.ts'
import type { TestMariaDb } from './mariadb.ts'
import type { TestPostgres } from './postgres.ts'

/** A table for the calls that are counted. */
export const SETUP = `
  create table orders (id integer primary key, customer varchar(80), paid integer);
  insert into orders values (1, 'ada', 10), (2, 'bob', 20);
`

/** A database that is reached by TCP. */
export interface Counted {
  readonly port: number
  /** The URL that reaches it at another port. */
  url(port: number): string
  /** Logs in as any other client does, and tells how to leave. */
  logIn(port: number): Promise<() => Promise<void>>
}

/** What a call of a tool costs on its way to a database. */
export interface Cost {
  readonly tool: string
  readonly connections: number
  /** Turns that the answer waits for, without those of the logins. */
  readonly turns: number
}

/** The tools, and what they are asked. */
const calls = [
  ['query', { sql: 'select id, customer from orders' }],
  ['query_table', { table: 'orders', columns: ['id'] }],
  ['describe_table', { table: 'orders' }],
  ['list_tables', { detail: true }],
  ['explain_query', { sql: 'select id from orders' }],
  ['search', { query: 'ada' }],
  ['fetch', { id: 'main/orders/1' }],
] as const

/**
 * Calls each tool on a database, and counts: once when nothing is known of its catalog, and once more. These
 * figures do not depend on the machine.
 */
export async function countCalls({ port, url, logIn }: Counted): Promise<{
  readonly login: number
  readonly costs: readonly Cost[]
  readonly warm: readonly Cost[]
}> {
  const counting = await startCounting(port)
  const background: Promise<unknown>[] = []
  const during = async (work: () => Promise<unknown>) => {
    const before = counting.counts
    await work()
    const { connections, turns } = counting.counts
    while (background.length > 0) await Promise.allSettled(background.splice(0))
    while (counting.open > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    return { connections: connections - before.connections, turns: turns - before.turns }
  }
  try {
    const login = await during(async () => {
      const leave = await logIn(counting.port)
      setTimeout(leave)
    })
    const waitUntil = (work: Promise<unknown>) => void background.push(work)
    const search = [{ table: 'orders', title: 'customer', text: ['customer'] }]
    const serve = () => endpointBefore(url(counting.port), { search }, { waitUntil })
    // In the background, the first call has the role inspected.
    await during(() => structureOf(serve(), 'query', { sql: 'select 1' }))
    const [costs, warm]: [Cost[], Cost[]] = [[], []]
    for (const [tool, args] of calls) {
      const server = serve()
      for (const list of [costs, warm]) {
        const { connections, turns } = await during(() => structureOf(server, tool, args))
        list.push({ tool, connections, turns: turns - connections * login.turns })
      }
    }
    return { login: login.turns, costs, warm }
  } finally {
    await counting.close()
  }
}

/** PostgreSQL, as the role that reads. */
export const countedPostgres = ({ config, reader, tcp }: TestPostgres): Counted => ({
  port: config.port!,
  url: (port) => tcp(reader, port),
  async logIn(port) {
    const client = new pg.Client({ ...config, user: reader, port })
    await client.connect()
    return () => client.end()
  },
})

/** MariaDB, as the user who reads. */
export const countedMariaDb = (mariadb: TestMariaDb): Counted => ({
  port: mariadb.port,
  url: (port) => mariadb.url(mariadb.reader).replace(/:\d+\//, `:${port}/`),
  async logIn(port) {
    const { host, database, reader: user } = mariadb
    const client = await createConnection({ host, port, user, database })
    return () => client.end()
  },
})
