import { expect, test } from 'vitest'
import { relay } from '../servers/faulty.ts'
import { startTcp } from '../servers/tcp.ts'
import { SETUP } from '../support/count-calls.ts'
import { endpointBefore, resultOf } from '../support/endpoint.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'

// A call asks several things by one connection, which may end or fall silent between any two of them.

const calls = [
  ['query_table', { table: 'orders', columns: ['id', 'customer'], orderBy: ['id'] }],
  ['describe_table', { table: 'orders' }],
  ['list_tables', { detail: true }],
] as const

/** A server, and the URL that reaches it at another port. */
interface Way {
  readonly port: number
  url(port: number): string
}

function breaking({ port, url }: Way, sessions: () => Promise<number>): void {
  /** Calls a tool over connections that bring so many bytes, and tells how many are left. */
  const called = async (
    [tool, args]: readonly [string, object],
    bytes: number,
    ends: 'cut' | 'silent',
  ) => {
    const room = { left: bytes }
    const server = await startTcp((socket) => relay(socket, port, { room, ends }))
    const caps = { timeoutMs: ends === 'cut' ? 10_000 : 500 }
    const result = await resultOf(endpointBefore(url(server.port), { caps }), tool, args)
    await expect.poll(() => server.open, { timeout: 5_000 }).toBe(0)
    await server.close()
    return { result, left: room.left }
  }

  test.each(calls)('%s answers whole or says why, wherever it breaks', async (...call) => {
    const whole = await called(call, 1e9, 'cut')
    const answer = whole.result.structuredContent
    expect(answer).toBeDefined()
    delete answer.elapsedMs
    const length = 1e9 - whole.left
    const places = (count: number) =>
      Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * length) / count))
    const broken = await Promise.all([
      ...places(30).map((it) => called(call, it, 'cut')),
      ...places(10).map((it) => called(call, it, 'silent')),
    ])
    for (const { result } of broken) {
      if (result.isError) {
        expect(result.content[0].text).toMatch(
          /^The (?:database cannot be reached|query was stopped)/,
        )
        continue
      }
      delete result.structuredContent.elapsedMs
      expect(result.structuredContent).toEqual(answer)
    }
    expect(broken.filter(({ result }) => result.isError).length).toBeGreaterThan(20)
    await expect.poll(sessions, { timeout: 10_000 }).toBe(0)
  })
}

await describePostgres('a call to PostgreSQL over TCP', SETUP, (postgres) => {
  const { reader, tcp, config } = postgres
  breaking({ port: config.port!, url: (port) => tcp(reader, port) }, async () => {
    const { rows } = await postgres.admin(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'tidegate'`,
    )
    return rows.length
  })
})

await describeMariaDb('a call to MariaDB over TCP', SETUP, (mariadb) => {
  const url = (port: number) => mariadb.url(mariadb.reader).replace(/:\d+\//, `:${port}/`)
  breaking({ port: mariadb.port, url }, async () => {
    const rows = await mariadb.admin(
      'select id from information_schema.processlist where user = ?',
      [mariadb.reader],
    )
    return rows.length
  })
})
