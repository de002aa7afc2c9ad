import { expect, test } from 'vitest'
import { diagnose } from '../../src/gateway/diagnose/diagnosis.ts'
import { ConfigError, gateway, readEndpoints } from '../../src/gateway/index.ts'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'

const bindings = {
  SHOP: 'postgres://reader@127.0.0.1:1/shop',
  EVENTS: 'clickhouse://reader@127.0.0.1:1/events',
  NOTES: 'libsql://127.0.0.1:1',
}
const io = { fetch, bindings }

const endpoint = (cost: object, ...names: string[]) => {
  const databases = names.map((it) => [it.toLowerCase(), { url: `secret:${it}` }])
  const one = {
    name: 'one',
    title: 'One',
    databases: Object.fromEntries(databases),
    caps: { cost },
  }
  return readEndpoints({ ENDPOINTS: JSON.stringify([one]) })[0]!
}
const problem = (cost: object, ...names: string[]): string | undefined => {
  try {
    gateway(endpoint(cost, ...names), io)
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

test('a limit that applies to no database is a configuration error', () => {
  expect(problem({ rows: 5 }, 'NOTES')).toBe(
    'Endpoint one sets caps.cost. SQLite estimates nothing before it runs a query, so caps.cost does not apply to it. There, caps.timeoutMs limits a query.',
  )
  expect(problem({ rows: 5 }, 'NOTES', 'SHOP')).toBe(undefined)
})

test('the doctor notes that a limit does not apply to one of several databases', async () => {
  const server = await startHrana(['create table notes (id integer primary key)'])
  try {
    const NOTES = `libsql://127.0.0.1:${server.port}?authToken=${TOKEN}`
    const [found] = await diagnose([endpoint({ rows: 5 }, 'NOTES', 'SHOP')], {
      fetch,
      bindings: { ...bindings, NOTES },
    })
    expect(found?.note).toContain('so caps.cost does not apply to it')
  } finally {
    await server.close()
  }
})

test('a limit that would block every query of a database is a configuration error', () => {
  expect(problem({ plan: 5 }, 'SHOP', 'EVENTS')).toBe(
    'Endpoint one limits only caps.cost.plan, and ClickHouse estimates no cost for its database events, only rows. Set caps.cost.rows as well.',
  )
  expect(problem({ plan: 5, rows: 5 }, 'SHOP', 'EVENTS')).toBe(undefined)
})

test.each([
  [{}, 'caps.cost must limit plan, rows or both.'],
  [{ plan: 0 }, 'caps.cost.plan must be at least 1.'],
  [{ rows: 1.5 }, 'caps.cost.rows is of type number: expected a whole number.'],
  [{ bytes: 5 }, 'caps.cost has an unknown field: bytes.'],
])('the limit %j is refused', (cost, sentence) => {
  expect(() => endpoint(cost, 'SHOP')).toThrow(sentence)
})

test('the instructions for a model contain the limit', () => {
  const { instructions } = gateway(endpoint({ plan: 100_000, rows: 5 }, 'SHOP'), io)
  expect(instructions).toContain(
    'Queries estimated at a cost over 100,000 or over 5 rows do not run.',
  )
})
