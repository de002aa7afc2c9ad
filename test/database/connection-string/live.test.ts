import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recognise } from '../../../src/database/recognise.ts'
import { startMariaDb, type TestMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'
import { startPostgres, type TestPostgres } from '../../support/postgres.ts'

/** Passwords with signs that mean something in a URL, a shell, a file with settings, or JSON. */
const PASSWORDS = [
  'plain',
  'p@ss:w/o#r?d%',
  '100%25',
  'a b&c=d;e,f',
  `it's "quoted" \\ here`,
  '[brackets]{braces}<angles>',
  'grüße-пароль-密码',
  '$HOME $\x7bPATH} `id` !x',
  '@@::////',
]

interface Place {
  readonly host: string
  readonly port: number
  readonly database: string
}

/** A login as people write it down. Each has to be read back as the same login. */
type Written = (user: string, password: string, at: Place) => string

const encoded = encodeURIComponent
const forms: Readonly<Record<'postgres' | 'mysql', Readonly<Record<string, Written>>>> = {
  postgres: {
    'a URL': (user, password, { host, port, database }) =>
      `postgresql://${user}:${encoded(password)}@${host}:${port}/${database}?sslmode=disable`,
    'a line of .env': (user, password, { host, port, database }) =>
      `DATABASE_URL="postgres://${user}:${encoded(password)}@${host}:${port}/${database}?schema=public"`,
    'a JDBC URL': (user, password, { host, port, database }) =>
      `jdbc:postgresql://${host}:${port}/${database}?user=${user}&password=${encoded(password)}`,
    'keywords of libpq': (user, password, { host, port, database }) =>
      `host=${host} port=${port} user=${user} password='${password.replaceAll(/['\\]/g, '\\$&')}' dbname=${database}`,
    'a form of .NET': (user, password, { host, port, database }) =>
      `Host=${host};Port=${port};Username=${user};Password="${password.replaceAll('"', '""')}";Database=${database}`,
  },
  mysql: {
    'a URL': (user, password, { host, port, database }) =>
      `mysql2://${user}:${encoded(password)}@${host}:${port}/${database}?pool=5`,
    'a form of .NET': (user, password, { host, port, database }) =>
      `Server=${host};Port=${port};Uid=${user};Pwd="${password.replaceAll('"', '""')}";Database=${database}`,
  },
}

/** Passwords that are read right also where they are not encoded. */
const raw = [
  'plain',
  'p@ss:w/o#r',
  'p%ss',
  'a b',
  '100%',
  '[brackets]',
  'grüße',
  'x@y@z',
  '$1&2=3+4',
]

/** Opens what a text is read as, and asks who is there. */
async function whoIsThere(text: string, sql: string): Promise<unknown> {
  const found = await recognise(text)
  if (!('url' in found)) throw new Error(found.sentence)
  const database = open(found.url, { fetch, bindings: {} })
  const limits = { timeoutMs: 10_000, maxRows: 1, maxBytes: 1_000 }
  const { rows } = await database.query({ sql }, limits)
  return rows[0]?.[0]
}

const roles = [...new Set([...PASSWORDS, ...raw])].map((password) => ({
  password,
  user: `tidegate_${randomBytes(6).toString('hex')}`,
}))
const userOf = (password: string) => roles.find((it) => it.password === password)!.user

const postgres = await startPostgres('create table items (id int)')
const mariadb = await startMariaDb('create table items (id int)')

describe.skipIf(!postgres)('a login of PostgreSQL', () => {
  const server = postgres as TestPostgres
  const { host, port, database } = server?.config ?? {}
  const at = { host, port, database } as Place

  beforeAll(async () => {
    for (const { user, password } of roles) {
      await server.admin(`create role ${user} login password '${password.replaceAll("'", "''")}'`)
    }
  })
  afterAll(async () => {
    for (const { user } of roles) await server.admin(`drop role ${user}`)
    await server.drop()
  })

  describe.each(Object.entries(forms.postgres))('as %s', (_, write) => {
    test.each(PASSWORDS)('connects with the password %s', async (password) => {
      const user = userOf(password)
      expect(await whoIsThere(write(user, password, at), 'select current_user')).toBe(user)
      const { url } = (await recognise(write(user, password, at))) as { url: string }
      expect(decodeURIComponent(new URL(url).password)).toBe(password)
    })
  })

  test.each(raw)('connects with the password %s as it stands in a URL', async (password) => {
    const user = userOf(password)
    const text = `postgres://${user}:${password}@${host}:${port}/${database}`
    expect(await whoIsThere(text, 'select current_user')).toBe(user)
    const { url } = (await recognise(text)) as { url: string }
    expect(decodeURIComponent(new URL(url).password)).toBe(password)
  })
})

describe.skipIf(!mariadb)('a login of MariaDB', () => {
  const server = mariadb as TestMariaDb
  const { host, port, database } = server ?? {}

  beforeAll(async () => {
    for (const { user, password } of roles) {
      await server.admin(`create user ${user}@'%' identified by ?`, [password])
      await server.admin(`grant select on ${database}.* to ${user}@'%'`)
    }
  })
  afterAll(async () => {
    for (const { user } of roles) await server.admin(`drop user ${user}@'%'`)
    await server.drop()
  })

  const whoami = "select substring_index(current_user(), '@', 1)"
  describe.each(Object.entries(forms.mysql))('as %s', (_, write) => {
    test.each(PASSWORDS)('connects with the password %s', async (password) => {
      const user = userOf(password)
      const text = write(user, password, { host, port, database })
      expect(await whoIsThere(text, whoami)).toBe(user)
    })
  })

  test.each(raw)('connects with the password %s as it stands in a URL', async (password) => {
    const user = userOf(password)
    const text = `mysql://${user}:${password}@${host}:${port}/${database}`
    expect(await whoIsThere(text, whoami)).toBe(user)
  })
})
