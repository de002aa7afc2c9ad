import { createConnection } from 'mysql2/promise'
import { afterAll, expect, test } from 'vitest'
import { findTable, listTables } from '../../../src/database/index.ts'
import { barrier, READ_ONLY } from '../../../src/database/mysql/read-only.ts'
import { mysql } from '../../../src/database/mysql/tcp/tcp.ts'
import type { Limits } from '../../../src/database/rows.ts'
import { startPlanetScale } from '../../servers/planetscale.ts'
import { failure } from '../../support/failure.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

/** Names that would end a quoted name or a statement if they were not escaped. */
const HOSTILE = ["o'role", '"', 'a`b', '\\', 'Ünï', ';--', '%', 'x@y']

const loginOf = (reader: string) => `${reader}_l`
const hostileOf = (reader: string) => HOSTILE.map((it, i) => `${i}${it}${reader.slice(9, 21)}`)
const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``

const setup = (reader: string) => `
  create table letters (id integer, owner varchar(9));
  insert into letters values (1, 'north'), (2, 'south');
  create view north as select * from letters where owner = 'north';
  create view south as select * from letters where owner = 'south';
  create user ${loginOf(reader)}@'%';
  ${['north', 'south', 'other'].map((it) => `create role ${reader}_${it};`).join('\n')}
  ${hostileOf(reader)
    .map((it) => `create role ${quote(it)}; grant ${quote(it)} to ${loginOf(reader)}@'%';`)
    .join('\n')}
  grant select on north to ${reader}_north;
  grant select on south to ${reader}_south;
  grant ${reader}_north to ${loginOf(reader)}@'%';
  grant ${reader}_south to ${loginOf(reader)}@'%';
`

await describeMariaDb('A role on MariaDB', setup, (mariadb) => {
  const { reader } = mariadb
  const login = loginOf(reader)
  const url = mariadb.url(login)
  const database = open(url, io)
  const unguarded = mysql.open(new URL(url), io)
  const query = (sql: string, role?: string) =>
    database.query({ sql }, { ...limits, identity: { role } })

  afterAll(async () => {
    const roles = ['north', 'south', 'other'].map((it) => `${reader}_${it}`)
    for (const it of [...roles, ...hostileOf(reader)]) {
      await mariadb.admin(`drop role ${quote(it)}`)
    }
    await mariadb.admin(`drop user ${login}@'%'`)
  })

  // The user has no privileges of its own. Only a role gives it access to the database.
  test('applies to each of several concurrent queries', async () => {
    const asked = Array.from({ length: 12 }, (_, i) => (i % 2 ? 'north' : 'south'))
    const answers = await Promise.all(
      asked.map((it) => query(`select owner from ${it}`, `${reader}_${it}`)),
    )
    expect(answers.map(({ rows }) => rows)).toEqual(asked.map((it) => [[it]]))
    expect(await failure(query('select * from south', `${reader}_north`))).toMatchObject({
      kind: 'refused',
    })
    expect(await failure(query('select * from letters', `${reader}_north`))).toMatchObject({
      kind: 'refused',
    })
    expect(await failure(query('select 1'))).toMatchObject({ kind: 'auth' })
    expect(await failure(query('select 1', hostileOf(reader)[0]))).toMatchObject({ kind: 'auth' })
  })

  test('applies to table lists and descriptions', async () => {
    const own = { ...limits, identity: { role: `${reader}_north` } }
    const { tables } = await listTables(database, { limit: 10, limits: own })
    expect(tables.map(({ name }) => name)).toEqual(['north'])
    expect((await findTable(database, 'north', own)).columns).toHaveLength(2)
    expect(await failure(findTable(database, 'south', own))).toMatchObject({ kind: 'sql' })
    expect((await query('select owner from north', `${reader}_north`)).rows).toEqual([['north']])
  })

  test.each(hostileOf(reader))('is set by its exact name: %j', async (role) => {
    await mariadb.admin(`grant select on north to ${quote(role)}`)
    expect((await query('select current_role()', role)).rows).toEqual([[role]])
  })

  test.each(hostileOf(reader))('is checked by the barrier: %j', async (role) => {
    const { host, port } = mariadb
    for (const [asked, passes] of [
      [role, true],
      [`${reader}_other`, false],
    ] as const) {
      const client = await createConnection({ host, port, user: login })
      await client.query(`set role ${quote(role)}`)
      await client.query(READ_ONLY)
      const passed = client.query(barrier(asked)).then(
        () => true,
        () => false,
      )
      expect(await passed).toBe(passes)
      client.destroy()
    }
  })

  test.each([...HOSTILE, `${reader}_other`])(
    'causes a configuration error if it is not granted: %j',
    async (role) => {
      const error = await failure(query('select 1', role))
      expect(error).toMatchObject({ kind: 'config', code: '1959' })
      expect(error.hint).toContain('GRANT role TO user')
    },
  )

  test.each(['none', 'NONE', 'nOnE'])(
    'cannot be %s, which MariaDB treats as a keyword even in quotes',
    async (role) => {
      expect(await failure(query('select 1', role))).toMatchObject({ kind: 'config' })
    },
  )

  test.each([
    'set role none',
    `set role ${reader}_south`,
    'set session authorization root',
    'select 1; set role none',
    "execute immediate 'set role none'",
    "prepare x from 'set role none'",
  ])('cannot be changed by %s', async (sql) => {
    const own = { ...limits, identity: { role: `${reader}_north` } }
    expect(await failure(database.query({ sql }, own))).toMatchObject({ kind: 'refused' })
    await failure(unguarded.query({ sql }, own))
  })

  test('is refused over PlanetScale, as are claims over TCP', async () => {
    const planetscale = await startPlanetScale(mariadb)
    const http = open(planetscale.url(reader), io)
    const error = await failure(
      http.query({ sql: 'select 1' }, { ...limits, identity: { role: 'x' } }),
    )
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining('role') })
    await planetscale.close()
    const claims = { ...limits, identity: { claims: '{}' } }
    expect(await failure(database.query({ sql: 'select 1' }, claims))).toMatchObject({
      kind: 'config',
      message: expect.stringContaining('claims'),
    })
  })
})
