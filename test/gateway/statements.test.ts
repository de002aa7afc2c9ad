import { expect, test } from 'vitest'
import { endpointBefore, structureOf } from '../support/endpoint.ts'
import { describePostgres } from '../support/postgres.ts'

const setup = 'create table items (id int primary key, name text); insert into items values (7)'

await describePostgres('query_table', setup, (postgres) => {
  test('sends one catalog query before it reads the rows of a table', async () => {
    const server = endpointBefore(postgres.url(postgres.reader))
    const before = postgres.neon.requests.length
    const { rows } = await structureOf(server, 'query_table', { table: 'items', columns: ['id'] })
    expect(rows).toEqual([[7]])
    const asked = postgres.neon.requests.slice(before).map((it) => it.join('\n'))
    expect(asked).toHaveLength(2)
    expect(asked.join('\n')).not.toMatch(/pg_constraint|pg_index/)
  })
})
