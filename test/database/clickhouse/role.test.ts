import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Limits } from '../../../src/database/rows.ts'
import { startHttp } from '../../servers/http.ts'
import { describeClickHouse, type TestClickHouse } from '../../support/clickhouse.ts'
import { failure } from '../../support/failure.ts'
import { open } from '../../support/open.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }
const own = { ...limits, identity: { role: `a&b='"role` } }

const old = (server: TestClickHouse) => {
  test.each(['reader', 'fixed'])('is reported as too old for user %s', async (user) => {
    const error = await failure(open(server.url(user), io).query({ sql: 'select 1' }, own))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining('too old') })
  })

  test('rejects claims', async () => {
    const claims = { ...limits, identity: { claims: '{}' } }
    expect(await failure(open(server.url(), io).query({ sql: 'select 1' }, claims))).toMatchObject({
      kind: 'config',
    })
  })
}
await describeClickHouse('A ClickHouse server without support for roles', [], old, ['debian'])

const current = (server: TestClickHouse) => {
  test('causes an error that suggests granting the role', async () => {
    const error = await failure(open(server.url(), io).query({ sql: 'select 1' }, own))
    expect(error).toMatchObject({ kind: 'config', hint: expect.stringContaining('GRANT role') })
  })
}
await describeClickHouse('A ClickHouse server without this role', [], current, ['current'])

describe('A role on ClickHouse', () => {
  /** Queries a server that records the parameters of each request and always sends the same answer. */
  async function asked(status: number, body: string, limit: Limits = own) {
    const seen: URLSearchParams[] = []
    const serve: RequestListener = (request, response) => {
      seen.push(new URL(request.url!, 'http://x').searchParams)
      response.writeHead(status, { 'x-clickhouse-format': 'JSONCompact' }).end(body)
    }
    const port = await startHttp(serve)
    const database = open(`clickhouse://u@127.0.0.1:${port}/shop`, io)
    const outcome = await database.query({ sql: 'select 1' }, limit).catch((error) => error)
    return { seen, outcome }
  }

  test('is a separate parameter of every request', async () => {
    const { seen } = await asked(200, '')
    expect(seen.map((it) => it.getAll('role'))).toEqual(seen.map(() => [own.identity.role]))
    expect(seen.length).toBeGreaterThan(0)
    const without = await asked(200, '', limits)
    expect(without.seen.every((it) => !it.has('role'))).toBe(true)
  })

  test.each([
    ['Code: 511. DB::Exception: There is no role `x` in user directories. (UNKNOWN_ROLE)'],
    [
      'Code: 512. DB::Exception: Role should be granted to set as a current. (SET_NON_GRANTED_ROLE)',
    ],
  ])('causes a configuration error that suggests granting it: %s', async (report) => {
    const { outcome } = await asked(500, report)
    expect(outcome).toMatchObject({ kind: 'config', hint: expect.stringContaining('GRANT role') })
  })
})
