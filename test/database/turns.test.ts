import { expect, test } from 'vitest'
import { countCalls, countedMariaDb, countedPostgres, SETUP } from '../support/count-calls.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

// From far away, each turn costs as much as the way there and back.

await describePostgres('PostgreSQL over TCP', SETUP, (postgres) => {
  test('is asked by one connection a call, and in few turns after the login', async () => {
    const { costs, warm } = await countCalls(countedPostgres(postgres))
    expect(costs).toEqual([
      { tool: 'query', connections: 1, turns: 1 },
      { tool: 'query_table', connections: 1, turns: 2 },
      { tool: 'describe_table', connections: 1, turns: 1 },
      { tool: 'list_tables', connections: 1, turns: 2 },
      { tool: 'explain_query', connections: 1, turns: 2 },
      { tool: 'search', connections: 1, turns: 2 },
      { tool: 'fetch', connections: 1, turns: 2 },
    ])
    // What is known of the table is not asked again.
    expect(warm).toEqual([
      { tool: 'query', connections: 1, turns: 1 },
      { tool: 'query_table', connections: 1, turns: 1 },
      { tool: 'describe_table', connections: 0, turns: 0 },
      { tool: 'list_tables', connections: 1, turns: 2 },
      { tool: 'explain_query', connections: 1, turns: 2 },
      { tool: 'search', connections: 1, turns: 1 },
      { tool: 'fetch', connections: 1, turns: 1 },
    ])
  })
})

await describeMariaDb('MariaDB over TCP', SETUP, (mariadb) => {
  test('is asked by one connection a call, and in few turns after the login', async () => {
    const { costs, warm } = await countCalls(countedMariaDb(mariadb))
    expect(costs).toEqual([
      { tool: 'query', connections: 1, turns: 2 },
      { tool: 'query_table', connections: 1, turns: 3 },
      { tool: 'describe_table', connections: 1, turns: 1 },
      { tool: 'list_tables', connections: 1, turns: 2 },
      { tool: 'explain_query', connections: 1, turns: 2 },
      { tool: 'search', connections: 1, turns: 3 },
      { tool: 'fetch', connections: 1, turns: 3 },
    ])
    // What is known of the table is not asked again.
    expect(warm).toEqual([
      { tool: 'query', connections: 1, turns: 2 },
      { tool: 'query_table', connections: 1, turns: 2 },
      { tool: 'describe_table', connections: 0, turns: 0 },
      { tool: 'list_tables', connections: 1, turns: 2 },
      { tool: 'explain_query', connections: 1, turns: 2 },
      { tool: 'search', connections: 1, turns: 2 },
      { tool: 'fetch', connections: 1, turns: 2 },
    ])
  })
})
