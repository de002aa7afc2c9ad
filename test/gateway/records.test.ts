import { expect, test } from 'vitest'
import { endpointBefore, structureOf } from '../support/endpoint.ts'
import { describePostgres } from '../support/postgres.ts'

const setup = `
  create table notes (id int primary key, said text);
  insert into notes values (1, 'x' || repeat('😀', 9000));
`

await describePostgres('records from search and fetch', setup, (postgres) => {
  test('have titles and texts that are truncated between characters, with a note', async () => {
    const search = [{ table: 'notes', title: 'said', text: ['said'] }]
    const server = endpointBefore(postgres.tcp(postgres.reader), { search })
    const { results } = await structureOf(server, 'search', { query: 'x' })
    expect(results[0].title).toBe(`x${'😀'.repeat(99)}… (+17802 characters)`)
    const { title, text } = await structureOf(server, 'fetch', { id: results[0].id })
    expect(title).toBe(results[0].title)
    expect(text.isWellFormed()).toBe(true)
    expect(text).toMatch(/^id: 1\nsaid: x😀+… \(\+\d+ characters\)$/u)
  })
})
