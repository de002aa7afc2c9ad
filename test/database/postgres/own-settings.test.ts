import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Machine } from '../../../src/database/machine.ts'
import { ownLogin } from '../../../src/database/postgres/libpq/own-login.ts'
import { accessOn } from '../../../src/database/postgres/libpq/own-settings.ts'
import { passwordIn } from '../../../src/database/postgres/libpq/password-file.ts'
import { serviceIn } from '../../../src/database/postgres/libpq/service-file.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { describePostgres } from '../../support/postgres.ts'

const home = mkdtempSync(join(tmpdir(), 'tidegate-home-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const write = (name: string, text: string, mode = 0o600) => {
  writeFileSync(join(home, name), text, { mode })
  return join(home, name)
}

const machineOf = (variables: Machine['variables']) => testMachine({ variables, home, user: 'me' })
const access = (url: string, variables: Machine['variables'] = {}) =>
  accessOn(machineOf(variables), databaseUrl(url, true))
/** The logins for a URL: `user@host:port/database`. */
const logins = async (url: string, variables?: Machine['variables']) =>
  (await access(url, variables)).servers.all.map(
    ({ user, host, port, database }) => `${user}@${host}:${port}/${database}`,
  )

const USUAL = ['/var/run/postgresql', '/tmp', 'localhost']

test.each<[url: string, variables: Machine['variables'], logins: readonly string[]]>([
  ['postgres:', {}, USUAL.map((it) => `me@${it}:5432/me`)],
  ['postgres://', { PGPORT: '5433' }, USUAL.map((it) => `me@${it}:5433/me`)],
  ['postgresql:///shop', { PGUSER: 'ada' }, USUAL.map((it) => `ada@${it}:5432/shop`)],
  ['postgres://bob@/shop', { PGUSER: 'ada' }, USUAL.map((it) => `bob@${it}:5432/shop`)],
  ['postgres://:5434/shop', { PGPORT: '1' }, USUAL.map((it) => `me@${it}:5434/shop`)],
  ['postgres:///shop?host=/run/pg', {}, ['me@/run/pg:5432/shop']],
  ['postgres://%2Frun%2Fpg/shop', {}, ['me@/run/pg:5432/shop']],
  ['postgres://a@%2Frun%2Fpg:5433/shop', {}, ['a@/run/pg:5433/shop']],
  ['postgres://db.example.com/shop', { PGHOST: 'no', PGPORT: '7' }, ['me@db.example.com:7/shop']],
  ['postgres:', { PGHOST: 'a,b', PGPORT: '1,2', PGDATABASE: 'd' }, ['me@a:1/d', 'me@b:2/d']],
  ['postgres:', { PGHOST: '/run/pg' }, ['me@/run/pg:5432/me']],
  ['postgres://one,two:6/d', { PGPORT: '7' }, ['me@one:5432/d', 'me@two:6/d']],
  ['postgres://[::1]/d', {}, ['me@::1:5432/d']],
  ['postgres:///d?host=::1&user=u&password=p', { PGUSER: 'x' }, ['u@::1:5432/d']],
])('%s with %o leads to %o', async (url, variables, expected) => {
  expect(await logins(url, variables)).toEqual(expected)
})

test.each<[url: string, variables: Machine['variables'], tls: string]>([
  ['postgres://db.example.com/d', {}, 'always'],
  ['postgres://localhost/d', {}, 'never'],
  ['postgres:///d?host=/run/pg&sslmode=require', {}, 'never'],
  ['postgres://localhost/d?sslrootcert=/ca.pem', {}, 'always'],
  ['postgres://db.example.com/d', { PGSSLMODE: 'disable' }, 'never'],
  ['postgres://db.example.com/d?sslmode=require', { PGSSLMODE: 'disable' }, 'always'],
  ['postgres://db.example.com/d?ssl=true', { PGSSLMODE: 'disable' }, 'always'],
  ['postgres://db.example.com/d', { PGREQUIRESSL: '1' }, 'always'],
])('%s with %o has TLS: %s', async (url, variables, tls) => {
  expect((await access(url, variables)).servers.all[0]!.tls).toBe(tls)
})

test.each<[url: string, variables: Machine['variables'], message: string]>([
  ['postgres://h/d', { PGSSLMODE: 'no-verify' }, 'The variable PGSSLMODE must be one of'],
  ['postgres://h/d?sslmode=no-verify', {}, 'The sslmode in the database URL must be one of'],
  ['postgres://h/d', { PGHOSTADDR: '10.0.0.1' }, 'The variable PGHOSTADDR is not read here.'],
  ['postgres://h/d', { PGREQUIREAUTH: 'scram-sha-256' }, 'The variable PGREQUIREAUTH cannot be'],
  ['postgres://h/d?sslkeylogfile=/x', {}, 'The sslkeylogfile in the database URL writes'],
  ['postgres://h/d?sslsni=0', {}, 'The sslsni in the database URL turns off the server name'],
  ['postgres://h/d?sslcertmode=require', {}, 'The sslcertmode in the database URL requires'],
  ['postgres:///d?host=/run/pg&requirepeer=postgres', {}, 'The requirepeer in the database URL'],
  ['postgres://h/d', { PGSERVICE: 'nowhere' }, 'There is no service with that name in'],
  ['postgres:', { PGHOST: '@abstract' }, 'The database URL refers to a socket'],
])('%s with %o is refused: %s', async (url, variables, message) => {
  expect((await failure(access(url, variables))).message).toContain(message)
})

test('the URL takes precedence over the service, and the service over the variables', async () => {
  const servicefile = write(
    'services.conf',
    `# ours
[other]
host=other.example.com
[shop]
host=shop.example.com
port=6000
user=service
user=second
password=${MARKER}
sslmode=verify-full
`,
  )
  const variables = { PGSERVICEFILE: servicefile, PGUSER: 'me', PGDATABASE: 'shop', PGPORT: '1' }
  const expected = ['service@shop.example.com:6000/shop']
  expect(await logins('postgres:///?service=shop', variables)).toEqual(expected)
  expect(await logins('postgres:', { ...variables, PGSERVICE: 'shop' })).toEqual(expected)
  const url = `postgres://ada@/?service=shop&servicefile=${servicefile}`
  expect(await logins(url)).toEqual(['ada@shop.example.com:6000/ada'])
  expect((await access(url)).servers.all[0]!.password).toBe(MARKER)
  write('.pg_service.conf', '[shop]\r\nhost=home.example.com\r\n')
  expect(await logins('postgres:///d?service=shop')).toEqual(['me@home.example.com:5432/d'])
})

test.each([
  ['host = one', 'is not NAME=VALUE'],
  ['service=other', 'refers to another service'],
  [`ldap://${MARKER}`, 'is not NAME=VALUE'],
])('a service with the line %s is refused without repeating the line', async (line, message) => {
  const error = await failure(() => serviceIn(`[a]\n${line}\n`, 'a', '/f'))
  expect(error.message).toBe(
    `Line 2 of the service file /f ${message}${message.startsWith('is') ? ' without spaces around =' : ''}.`,
  )
})

const ada = { host: 'h', port: 5432, database: 'd', user: 'ada' }

test.each<[text: string, password: string | undefined]>([
  ['h:5432:d:ada:secret', 'secret'],
  ['# h:5432:d:ada:no\nh:5432:d:ada:secret\nh:*:*:*:late\n', 'secret'],
  ['*:*:*:*:secret', 'secret'],
  ['h:5433:d:ada:no\r\n*:5432:d:ada:yes\r\n', 'yes'],
  ['h:5432:d:ada:a\\:b\\\\c:d', 'a:b\\c:d'],
  ['h:5432:d:ad\\a:yes', 'yes'],
  ['h:5432:d:*a:no', undefined],
  ['H:5432:d:ada:no', undefined],
  ['h:5432:d:ada', undefined],
  ['', undefined],
])('the password of %j is %s', (text, password) => {
  expect(passwordIn(text, ada)).toBe(password)
})

test('the password file escapes colons and backslashes in names with a backslash', () => {
  const entry = { host: '::1', port: 1, database: 'a:b', user: 'c\\d' }
  expect(passwordIn('\\:\\:1:1:a\\:b:c\\\\d:secret', entry)).toBe('secret')
})

test('the password file is used unless other users can read it', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const file = write('passwords', 'localhost:*:*:*:at-home\n/run/pg:*:*:*:there\n*:1:*:*:one\n')
  const passwordOf = async (url: string, variables = {}) => {
    const { servers } = await access(url, { PGPASSFILE: file, ...variables })
    const login = await ownLogin(machineOf({})).withPassword(servers.all[0]!)
    return login.password
  }
  expect(await passwordOf('postgres:')).toBe('at-home')
  expect(await passwordOf('postgres://localhost/d')).toBe('at-home')
  expect(await passwordOf('postgres:///d?host=/run/pg')).toBe('there')
  expect(await passwordOf('postgres://h:1/d')).toBe('one')
  expect(await passwordOf('postgres://h:2/d')).toBe('')
  expect(await passwordOf('postgres://u:own@h:1/d')).toBe('own')
  expect(await passwordOf('postgres://h:1/d', { PGPASSWORD: 'variable' })).toBe('variable')
  const open = write('open', '*:*:*:*:no\n', 0o644)
  expect(await passwordOf(`postgres://h/d?passfile=${open}`)).toBe('')
  expect(warn.mock.calls.flat().join()).toContain(`The password file ${open} is ignored`)
  warn.mockRestore()
})

test('a token login does not use the password in PGPASSWORD', async () => {
  const url = 'postgres://iam@db.example.com/d?auth=rds-iam&region=eu-west-1'
  const { servers } = await access(url, { PGPASSWORD: MARKER })
  expect(servers.all[0]).toMatchObject({ password: '', token: { auth: 'rds-iam' } })
})

await describePostgres('PostgreSQL with environment variables', '', (postgres) => {
  const { host, port, database } = postgres.config
  const PG = { PGHOST: String(host), PGPORT: String(port), PGDATABASE: database }
  const ask = async (variables: Machine['variables'], url = 'postgres:') => {
    const machine = machineOf({ PGUSER: postgres.reader, ...variables })
    const opened = await openOn(machine, url)
    const sql = `select current_database(), current_user, current_setting('application_name'),
      current_setting('work_mem')`
    const { rows } = await opened.query({ sql }, { maxRows: 1, maxBytes: 1_000, timeoutMs: 10_000 })
    await machine.close()
    return rows[0]
  }

  test('uses the variables of the machine', async () => {
    const more = { PGAPPNAME: 'mine', PGOPTIONS: '-c work_mem=7MB' }
    expect(await ask({ ...PG, ...more })).toEqual([database, postgres.reader, 'mine', '7MB'])
  })

  test('ignores variables of the process that the machine does not list', async () => {
    vi.stubEnv('PGOPTIONS', '-c work_mem=7MB')
    vi.stubEnv('PGAPPNAME', 'other')
    const url = postgres.tcp(postgres.reader)
    expect(await ask({}, url)).toEqual([database, postgres.reader, 'tidegate', '4MB'])
    expect((await ask({}, `${url}?application_name=`))![2]).toBe('')
    vi.unstubAllEnvs()
  })
})
