import type { Machine } from '../../src/database/machine.ts'
import type { Counts } from '../servers/counting.ts'
import { endpointBefore, structureOf } from './endpoint.ts'

/** A database whose calls are counted. */
export interface Counted {
  /** The unit of a trip to it: a connection or a request. */
  readonly trip: 'connection' | 'request'
  /** Opens a new way to it. */
  approach(): Promise<Approach>
  /** A tool that cannot be called here. */
  readonly lacks?: string
  /** Logs in like any other client at the port of an approach. Returns a function that disconnects. */
  logIn?(port: number): Promise<() => Promise<unknown>>
}

/** A way to a database, with counts of the traffic on it. */
export interface Approach {
  readonly url: string
  readonly port: number
  readonly io: {
    readonly fetch?: typeof fetch
    readonly bindings?: Record<string, unknown>
    readonly machine?: Machine
  }
  readonly counts: Counts
  /** The number of open connections or unanswered requests. */
  readonly open: number
  /** True if it keeps connections from one call to the next. */
  readonly keeps?: boolean
  close(): Promise<void>
}

/** The cost of a tool call on the way to a database. */
export interface Cost {
  readonly tool: string
  /** The first call of an isolate, and the second one. */
  readonly cold: Counts
  readonly warm: Counts
}

/** A table for the calls that are counted. */
export const SETUP = `
  create table orders (id integer primary key, customer varchar(80), paid integer);
  insert into orders values (1, 'ada', 10), (2, 'bob', 20);
`

/** The tools and their arguments. */
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
 * Calls each tool on a database. Counts the trips, and the turns that the answer waits for, without those of
 * logins. These numbers do not depend on the machine.
 */
export async function countCalls({ approach, logIn, lacks }: Counted): Promise<{
  readonly login: number
  readonly costs: readonly Cost[]
}> {
  const login = logIn ? await countLogin(approach, logIn) : 0
  const afterLogins = ({ trips, turns }: Counts) => ({ trips, turns: turns - trips * login })
  const cost = async (tool: string, args: object): Promise<Cost> => {
    const way = await approach()
    try {
      const background: Promise<unknown>[] = []
      const waitUntil = (work: Promise<unknown>) => void background.push(work)
      const search = [{ table: 'orders', title: 'customer', text: ['customer'] }]
      const server = endpointBefore(way.url, { search }, { ...way.io, waitUntil })
      const count = async () => {
        const { trips, turns } = way.counts
        await structureOf(server, tool, args)
        const after = way.counts
        while (background.length > 0) await Promise.allSettled(background.splice(0))
        if (!way.keeps) await isIdle(way)
        return afterLogins({ trips: way.counts.trips - trips, turns: after.turns - turns })
      }
      return { tool, cold: await count(), warm: await count() }
    } finally {
      await way.close()
    }
  }
  // The first call of a process inspects the role in the background.
  await cost('query', { sql: 'select 1' })
  const tools = calls.filter(([tool]) => tool !== lacks)
  return { login, costs: await Promise.all(tools.map(([tool, args]) => cost(tool, args))) }
}

async function countLogin(
  approach: Counted['approach'],
  logIn: NonNullable<Counted['logIn']>,
): Promise<number> {
  const way = await approach()
  try {
    const leave = await logIn(way.port)
    const { turns } = way.counts
    void leave().catch(() => {})
    await isIdle(way)
    return turns
  } finally {
    await way.close()
  }
}

async function isIdle(way: Approach): Promise<void> {
  while (way.open > 0) await new Promise((resolve) => setTimeout(resolve, 10))
}
