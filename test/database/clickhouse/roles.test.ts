import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import { describeClickHouse, type TestClickHouse } from '../../support/clickhouse.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const old = (server: TestClickHouse) => {
  const look = (user?: string) => inspectRole(open(server.url(user), io), limits)

  test('reports a writable profile and explains how to replace it', async () => {
    const found = await look('reader')
    expect(found).toMatchObject({
      findings: [{ kind: 'no-grants', severity: 'low', count: 1 }],
      reader: [],
    })
    expect(found.version).toMatch(/^ClickHouse 18\.16/)
    expect(found.note).toContain('<readonly>1</readonly>')
    expect(found.note).toContain('<database>shop</database>')
  })

  test('finds nothing when the profile is read-only', async () => {
    expect(await look('fixed')).toMatchObject({ findings: [], note: undefined })
  })
}
await describeClickHouse('the role check on an old ClickHouse', [], old, ['debian'])

const current = (server: TestClickHouse) => {
  test('reports each right beyond reading with statements that revoke it', async () => {
    const found = await inspectRole(open(server.url('reader'), io), limits)
    expect(found.version).toMatch(/^ClickHouse \d\d\./)
    expect(found.findings.map(({ kind }) => kind)).toEqual([
      'kill-query',
      'every-database',
      'write-grants',
    ])
    for (const { statements } of found.findings) {
      for (const sql of statements) expect(sql).toMatch(/^(?:REVOKE|GRANT SELECT)\b.* ON .*;$/)
    }
  })
}
await describeClickHouse('the role check on a current ClickHouse', [], current, ['current'])

/** Inspects the role on a fake ClickHouse 24, whose SHOW GRANTS has a line for each grant. */
async function looked(...grants: string[]) {
  const server = createServer(async (request, response) => {
    let sql = ''
    for await (const chunk of request) sql += chunk
    const rows = /version/.test(sql)
      ? ['version()\tcurrentDatabase()', 'String\tString', '24.8.1.1\tsh`op']
      : [
          ...['GRANTS', 'String'],
          ...(/currentUser/.test(sql) ? ['reader'] : grants.map((it) => it.replace(/'/g, "\\'"))),
        ]
    response.end(`${rows.join('\n')}\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await inspectRole(open(`clickhouse://reader@127.0.0.1:${port}/shop`, io), limits)
  } finally {
    server.close()
  }
}

describe('the role check on a ClickHouse user with grants', () => {
  test.each<[string[], [kind: string, statement: string | undefined][]]>([
    [['GRANT SELECT ON shop.* TO reader', 'GRANT SHOW TABLES, SELECT(a, b) ON x.y TO reader'], []],
    [
      ['GRANT SELECT, INSERT(a, b), ALTER UPDATE ON shop.orders TO reader'],
      [['write-grants', 'REVOKE INSERT(a, b), ALTER UPDATE ON shop.orders FROM reader;']],
    ],
    [
      ['GRANT KILL QUERY ON *.* TO reader'],
      [['kill-query', 'REVOKE KILL QUERY ON *.* FROM reader;']],
    ],
    [
      ['GRANT SELECT ON *.* TO reader'],
      [
        [
          'every-database',
          'REVOKE SELECT ON *.* FROM reader; GRANT SELECT ON `sh\\`op`.* TO reader;',
        ],
      ],
    ],
    [
      ['GRANT SELECT ON shop.* TO reader WITH GRANT OPTION'],
      [['grant-option', 'REVOKE GRANT OPTION FOR SELECT ON shop.* FROM reader;']],
    ],
    [
      ['GRANT URL, REMOTE ON *.* TO reader', 'GRANT writers TO reader'],
      [
        ['write-grants', 'REVOKE URL, REMOTE ON *.* FROM reader;'],
        ['roles', 'REVOKE writers FROM reader;'],
      ],
    ],
    [
      ['GRANT ALL ON *.* TO default WITH GRANT OPTION'],
      [
        ['kill-query', undefined],
        ['grant-option', undefined],
      ],
    ],
  ])('reports the findings for %j', async (grants, expected) => {
    const { findings, reader, role } = await looked(...grants)
    expect(role).toBe('reader')
    expect(
      findings.map(({ kind, statements }) => [kind, statements.join(' ') || undefined]),
    ).toEqual(expected)
    expect(reader).toEqual(
      expected.length === 0
        ? []
        : [
            "CREATE USER `tidegate_sh\\`op` IDENTIFIED WITH sha256_password BY 'a long password of your own';",
            'GRANT SELECT ON `sh\\`op`.* TO `tidegate_sh\\`op`;',
          ],
    )
  })
})
