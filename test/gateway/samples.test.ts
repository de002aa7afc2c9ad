import { expect, test } from 'vitest'
import { endpointBefore, structureOf } from '../support/endpoint.ts'
import { describePostgres } from '../support/postgres.ts'

const setup = `
  create table lists (id int, ids bigint[], words text[]);
  insert into lists values (1, '{1,2}', '{"a,b",NULL}'), (2, '{}', null), (2, '{3}', null);
`

await describePostgres('samples of a table', setup, (postgres) => {
  test('are values of each column, and an array is one value', async () => {
    const server = endpointBefore(postgres.tcp(postgres.reader), { caps: { samples: 3 } })
    const { columns } = await structureOf(server, 'describe_table', { table: 'lists' })
    expect(columns.map((it: { samples: unknown }) => it.samples)).toEqual([
      [1, 2],
      [[1, 2], [], [3]],
      [['a,b', null]],
    ])
  })
})
