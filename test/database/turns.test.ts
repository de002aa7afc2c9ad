import { afterAll, describe, expect, test } from 'vitest'
import { countCalls } from '../support/count-calls.ts'
import { starts } from '../support/counted.ts'

// From far away, each turn costs as much as the way there and back.

/** Connections over TCP or requests over HTTP, and turns: of the first call, and of the second one. */
type Costs = Readonly<Record<string, readonly [number, number, number, number]>>

const postgres: Costs = {
  query: [1, 1, 1, 1],
  query_table: [1, 2, 1, 2],
  describe_table: [1, 1, 1, 1],
  list_tables: [1, 2, 1, 2],
  explain_query: [1, 1, 1, 1],
  search: [1, 2, 1, 2],
  fetch: [1, 2, 1, 2],
}

const http: Costs = {
  query: [1, 1, 1, 1],
  query_table: [3, 2, 3, 2],
  describe_table: [4, 1, 4, 1],
  list_tables: [2, 2, 2, 2],
  explain_query: [1, 1, 1, 1],
  search: [5, 2, 5, 2],
  fetch: [5, 2, 5, 2],
}

const expected: Readonly<Record<string, Costs>> = {
  'PostgreSQL over TCP': postgres,
  'PostgreSQL over TLS': postgres,
  'PostgreSQL through Hyperdrive': postgres,
  Neon: http,
  Supabase: http,
  'MariaDB over TCP': {
    query: [1, 2, 1, 2],
    query_table: [1, 4, 1, 4],
    describe_table: [1, 2, 1, 2],
    list_tables: [1, 4, 1, 4],
    explain_query: [1, 3, 1, 3],
    search: [1, 4, 1, 4],
    fetch: [1, 4, 1, 4],
  },
  PlanetScale: {
    query: [6, 6, 6, 6],
    query_table: [18, 12, 18, 12],
    describe_table: [24, 6, 24, 6],
    list_tables: [12, 12, 12, 12],
    explain_query: [7, 7, 7, 7],
    search: [30, 12, 30, 12],
    fetch: [30, 12, 30, 12],
  },
  libSQL: {
    query: [2, 2, 2, 2],
    query_table: [6, 4, 6, 4],
    describe_table: [8, 2, 8, 2],
    list_tables: [4, 4, 4, 4],
    explain_query: [2, 2, 2, 2],
    search: [10, 4, 10, 4],
    fetch: [10, 4, 10, 4],
  },
  rqlite: {
    query: [3, 3, 3, 3],
    query_table: [9, 6, 9, 6],
    describe_table: [12, 3, 12, 3],
    list_tables: [6, 6, 6, 6],
    explain_query: [3, 3, 3, 3],
    search: [15, 6, 15, 6],
    fetch: [15, 6, 15, 6],
  },
  D1: {
    query: [4, 3, 4, 3],
    query_table: [12, 6, 12, 6],
    describe_table: [16, 3, 16, 3],
    list_tables: [8, 6, 8, 6],
    explain_query: [3, 3, 3, 3],
    search: [20, 6, 20, 6],
    fetch: [20, 6, 20, 6],
  },
  ClickHouse: {
    query: [3, 3, 1, 1],
    query_table: [7, 4, 3, 2],
    describe_table: [12, 3, 4, 1],
    list_tables: [4, 4, 2, 2],
    search: [13, 4, 5, 2],
    fetch: [13, 4, 5, 2],
  },
}

const started = (await Promise.all(starts.map((start) => start()))).filter((it) => it !== undefined)
afterAll(() => Promise.all(started.map((it) => it.end())))

describe.each(started.flatMap(({ all }) => Object.entries(all)))('%s', (name, database) => {
  test('is asked in few turns', async () => {
    const { costs } = await countCalls(database)
    const counted = costs.map(({ tool, cold, warm }) => [
      tool,
      [cold.trips, cold.turns, warm.trips, warm.turns],
    ])
    expect(Object.fromEntries(counted)).toEqual(expected[name])
  })
})
