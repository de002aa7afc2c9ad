import { afterAll, describe, expect, test } from 'vitest'
import { countCalls } from '../support/count-calls.ts'
import { startCounted } from '../support/counted.ts'

// From far away, each turn costs as much as the way there and back.

/** Connections over TCP or requests over HTTP, and turns: of the first call, and of the second one. */
type Costs = Readonly<Record<string, readonly [number, number, number, number]>>

const postgres: Costs = {
  query: [1, 1, 1, 1],
  query_table: [1, 2, 1, 1],
  describe_table: [1, 1, 0, 0],
  list_tables: [1, 2, 1, 2],
  explain_query: [1, 1, 1, 1],
  search: [1, 2, 1, 1],
  fetch: [1, 2, 1, 1],
}

const http: Costs = {
  query: [1, 1, 1, 1],
  query_table: [2, 2, 1, 1],
  describe_table: [1, 1, 0, 0],
  list_tables: [2, 2, 2, 2],
  explain_query: [1, 1, 1, 1],
  search: [2, 2, 1, 1],
  fetch: [2, 2, 1, 1],
}

const expected: Readonly<Record<string, Costs>> = {
  'PostgreSQL over TCP': postgres,
  'PostgreSQL through Hyperdrive': postgres,
  'PostgreSQL over TLS': postgres,
  // No connection is opened by a call that comes later.
  'PostgreSQL over TCP, on a machine': Object.fromEntries(
    Object.entries(postgres).map(([tool, [trips, turns, , warm]]) => [
      tool,
      [trips, turns, 0, warm],
    ]),
  ),
  Neon: http,
  Supabase: http,
  'MariaDB over TCP': {
    query: [1, 2, 1, 2],
    query_table: [1, 3, 1, 2],
    describe_table: [1, 1, 0, 0],
    list_tables: [1, 2, 1, 2],
    explain_query: [1, 3, 1, 3],
    search: [1, 3, 1, 2],
    fetch: [1, 3, 1, 2],
  },
  PlanetScale: {
    query: [6, 5, 6, 5],
    query_table: [7, 6, 6, 5],
    describe_table: [6, 5, 0, 0],
    list_tables: [7, 6, 7, 6],
    explain_query: [7, 6, 7, 6],
    search: [7, 6, 6, 5],
    fetch: [7, 6, 6, 5],
  },
  libSQL: {
    query: [2, 2, 1, 1],
    query_table: [4, 4, 1, 1],
    describe_table: [2, 2, 0, 0],
    list_tables: [4, 4, 2, 2],
    explain_query: [2, 2, 1, 1],
    search: [4, 4, 1, 1],
    fetch: [4, 4, 1, 1],
  },
  rqlite: {
    query: [3, 3, 1, 1],
    query_table: [6, 6, 1, 1],
    describe_table: [3, 3, 0, 0],
    list_tables: [6, 6, 2, 2],
    explain_query: [3, 3, 1, 1],
    search: [6, 6, 1, 1],
    fetch: [6, 6, 1, 1],
  },
  D1: {
    query: [4, 3, 2, 1],
    query_table: [8, 6, 2, 1],
    describe_table: [4, 3, 0, 0],
    list_tables: [8, 6, 4, 2],
    explain_query: [3, 3, 1, 1],
    search: [8, 6, 2, 1],
    fetch: [8, 6, 2, 1],
  },
  ClickHouse: {
    query: [3, 3, 1, 1],
    query_table: [4, 4, 1, 1],
    describe_table: [3, 3, 0, 0],
    list_tables: [4, 4, 2, 2],
    search: [4, 4, 1, 1],
    fetch: [4, 4, 1, 1],
  },
}

const { all, end } = await startCounted()
afterAll(end)

describe.each(Object.entries(all))('%s', (name, database) => {
  test('is asked in few turns', async () => {
    const { costs } = await countCalls(database)
    const counted = costs.map(({ tool, cold, warm }) => [
      tool,
      [cold.trips, cold.turns, warm.trips, warm.turns],
    ])
    expect(Object.fromEntries(counted)).toEqual(expected[name])
  })
})
