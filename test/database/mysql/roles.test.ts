import { afterAll, describe, expect, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import type { RoleReport } from '../../../src/database/index.ts'
import { startPlanetScale } from '../../servers/planetscale.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const setup = `
  create table users (id integer, email varchar(80));
  create table \`We\`\`ird\` (id integer);
  create function plain() returns int return 1;
  create procedure act() select 1;
`

await describeMariaDb('the role check on MySQL', setup, (mariadb) => {
  const { database, reader } = mariadb
  const me = `'${reader}'@'%'`
  const role = `${database}_role`
  const made = `'${`tidegate_${database}`.slice(0, 32)}'@'%'`
  const look = (user?: string) => inspectRole(open(mariadb.url(user), io), limits)
  const kinds = ({ findings }: RoleReport) => findings.map(({ kind }) => kind)
  const run = async (statements: readonly string[]) => {
    for (const sql of statements) await mariadb.admin(sql)
  }
  afterAll(() => run([`drop role if exists ${role}`, `drop user if exists ${made}`]))

  test('finds nothing for a user who may only select', async () => {
    const examination = await look(reader)
    expect(examination).toMatchObject({ role: me, findings: [], reader: [] })
    expect(examination.version).toMatch(/^MariaDB \d+/)
  })

  const cases: [kind: string, severity: string, object: string, setup: string][] = [
    ['write-grants', 'low', 'INSERT ON *.*', `grant insert on *.* to ${me}`],
    [
      'write-grants',
      'low',
      `DELETE, UPDATE ON \`${database}\`.*`,
      `grant update, delete on ${database}.* to ${me}`,
    ],
    ['write-grants', 'low', `DROP ON \`${database}\`.\`users\``, `grant drop on users to ${me}`],
    [
      'write-grants',
      'low',
      `INSERT (\`id\`) ON \`${database}\`.\`We\`\`ird\``,
      `grant insert (id), select (id) on \`We\`\`ird\` to ${me}`,
    ],
    ['file', 'high', 'FILE ON *.*', `grant file on *.* to ${me}`],
    ['administration', 'high', 'PROCESS ON *.*', `grant process on *.* to ${me}`],
    [
      'every-database',
      'high',
      'SELECT ON *.*',
      `revoke select on ${database}.* from ${me}; grant select on *.* to ${me}`,
    ],
    [
      'grant-option',
      'low',
      `GRANT OPTION ON \`${database}\`.*`,
      `grant select on ${database}.* to ${me} with grant option`,
    ],
    [
      'routines',
      'low',
      `FUNCTION \`${database}\`.\`plain\``,
      `grant execute on function plain to ${me}`,
    ],
    ['routines', 'low', `EXECUTE ON \`${database}\`.*`, `grant execute on ${database}.* to ${me}`],
    [
      'roles',
      'low',
      role,
      `create role ${role}; grant insert on users to ${role}; grant ${role} to ${me};
       set default role ${role} for ${me}`,
    ],
  ]

  describe('reports a finding with statements that fix it', () => {
    test.each(cases)('%s, %s: %s after %s', async (kind, severity, object, setup) => {
      await mariadb.admin(setup)
      const found = await look(reader)
      expect(kinds(found)).toEqual([kind])
      const [finding] = found.findings
      expect(finding).toMatchObject({ severity })
      expect(finding!.objects).toContain(object)
      expect(finding!.count).toBe(finding!.objects.length)
      expect(finding!.statements.length).toBeGreaterThan(0)
      await run(finding!.statements)
      expect(await look(reader)).toMatchObject({ findings: [], reader: [] })
      const { rows } = await open(mariadb.url(reader), io).query(
        { sql: 'select count(*) from users' },
        limits,
      )
      expect(rows).toEqual([[0]])
    })
  })

  test('suggests a new read-only user for a user with every privilege', async () => {
    const found = await look()
    expect(kinds(found)).toEqual([
      ...['file', 'administration', 'every-database'],
      ...['write-grants', 'grant-option', 'routines'],
    ])
    expect(found.findings.flatMap(({ statements }) => statements)).toEqual([])
    await run(found.reader)
    const password = encodeURIComponent(/IDENTIFIED BY '([^']+)'/.exec(found.reader[0]!)![1]!)
    const user = `${/'([^']+)'/.exec(made)![1]}:${password}`
    expect(await look(user)).toMatchObject({ role: made, findings: [], reader: [] })
    const { rows } = await open(mariadb.url(user), io).query({ sql: 'select * from users' }, limits)
    expect(rows).toEqual([])
  })

  test('finds the same over the PlanetScale protocol', async () => {
    const server = await startPlanetScale(mariadb)
    const url = server.url(mariadb.owner)
    const found = await inspectRole(open(url, io), limits)
    expect(found.findings).toEqual((await look()).findings)
    await server.close()
  })

  test('takes less than 3 seconds with grants on 400 tables', async () => {
    const tables = Array.from({ length: 400 }, (_, i) => `many_${i}`)
    await mariadb.admin(
      tables.map((it) => `create table ${it} (id int); grant insert on ${it} to ${me};`).join(''),
    )
    const started = Date.now()
    const { findings } = await look(reader)
    expect(Date.now() - started).toBeLessThan(3_000)
    expect(findings).toMatchObject([{ kind: 'write-grants', count: 400 }])
    expect(findings[0]!.objects).toHaveLength(20)
  })
})
