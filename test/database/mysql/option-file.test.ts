import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Machine } from '../../../src/database/machine.ts'
import { accessOf } from '../../../src/database/mysql/tcp/login.ts'
import { optionsOf, withClientSettings } from '../../../src/database/mysql/tcp/option-file.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { describeMariaDb } from '../../support/mariadb.ts'

const home = mkdtempSync(join(tmpdir(), 'tidegate-my-cnf-'))
const path = join(home, '.my.cnf')
afterAll(() => rmSync(home, { recursive: true }))

/** A machine with this option file and these environment variables. */
function machineWith(file: string, variables: Machine['variables'] = {}, mode = 0o600): Machine {
  writeFileSync(path, file)
  chmodSync(path, mode)
  return testMachine({ home, variables, user: 'ada' })
}

/** The login for a URL on this machine. */
async function loginOf(url: string, machine: Machine) {
  const full = await withClientSettings(databaseUrl(url, true), machine)
  const { logins } = accessOf(full, machine)
  const [{ host, port, user, password, socket, tls, files }] = logins as [(typeof logins)[0]]
  return { host, port, user, password, socket, tls, ...files }
}

describe('an option file', () => {
  test.each([
    ['[client]\nuser=ada\npassword = "a # b"\n', { user: 'ada', password: 'a # b' }],
    ['[client]\npassword="a" # "b"', { password: 'a' }],
    ["[client]\npassword='a\\\\b\\s\\'c'", { password: "a\\b 'c" }],
    ['[client]\r\nuser = ada # the first\r\n; no\r\n# no\r\n', { user: 'ada' }],
    ['\ufeff[client]\nuser=ada', { user: 'ada' }],
    ['[mysqld]\nuser=mysql\n[client]\nport=1\n[mysql]\nport=2', { port: '1' }],
    ['[client]\nuser=ada\n[client-mariadb]\nuser=bob', { user: 'bob' }],
    ['[client]\nloose-ssl_ca=/ca.pem\nssl', { 'ssl-ca': '/ca.pem', ssl: '' }],
    ['[client]\n!include /etc/other.cnf\nuser=a=b', { user: 'a=b' }],
    ['user=nobody', {}],
    ['', {}],
  ])('%j is read as %j', (text, options) => {
    expect(Object.fromEntries(optionsOf(text))).toEqual(options)
  })

  test('is read in linear time', () => {
    const long = `[client]\n${'#'.repeat(200_000)}\npassword="${'\\"'.repeat(100_000)}`
    expect(optionsOf(long).get('password')).toHaveLength(100_001)
  })
})

describe('client settings for a MySQL URL', () => {
  test.each<[string, string, Machine['variables'], object]>([
    ['mysql:///shop', '', {}, { host: 'localhost', port: 3306, user: 'ada', password: '' }],
    [
      'mysql:///shop',
      '[client]\nhost=db.example.com\nport=3307\nuser=bob\npassword=p%@/ü',
      { MYSQL_PWD: 'other', MYSQL_HOST: 'other.example.com', MYSQL_TCP_PORT: '1' },
      { host: 'db.example.com', port: 3307, user: 'bob', password: 'p%@/ü', tls: true },
    ],
    [
      'mariadb:///shop',
      '',
      { MYSQL_PWD: 'secret', MYSQL_HOST: 'db.example.com', MYSQL_TCP_PORT: '3308' },
      { host: 'db.example.com', port: 3308, password: 'secret', tls: true },
    ],
    ['mysql:///shop', '', { MYSQL_HOST: '2001:db8::1' }, { host: '2001:db8::1' }],
    [
      'mysql:///shop',
      '',
      { MYSQL_UNIX_PORT: '/run/a.sock' },
      { host: 'localhost', socket: '/run/a.sock', tls: false },
    ],
    [
      'mysql:///shop',
      '[client]\nsocket=/run/b.sock',
      { MYSQL_UNIX_PORT: '/a' },
      { socket: '/run/b.sock' },
    ],
    // The URL takes precedence, and the port of another host is not used.
    [
      'mysql://carl:own@far.example.com/shop',
      '[client]\nhost=db.example.com\nport=3307\nsocket=/run/b.sock\nuser=bob\npassword=x',
      { MYSQL_TCP_PORT: '1' },
      { host: 'far.example.com', port: 3306, user: 'carl', password: 'own', socket: undefined },
    ],
    [
      'mysql://localhost/shop?socket=/run/own.sock',
      '[client]\nsocket=/run/b.sock\npassword=x',
      {},
      { socket: '/run/own.sock', user: 'ada', password: 'x' },
    ],
    ['mysql://%2Frun%2Fown.sock/shop', '', {}, { host: 'localhost', socket: '/run/own.sock' }],
    ['mysql://bob@%2Frun%2Fown.sock/shop', '', {}, { user: 'bob', socket: '/run/own.sock' }],
    [
      'mysql://far.example.com/shop',
      '[client]\nssl-ca=/ca.pem\nssl-cert=/c.pem\nssl-key=/k.pem',
      {},
      { tls: true, ca: '/ca.pem', cert: '/c.pem', key: '/k.pem', namesHost: true },
    ],
    // A file cannot weaken the connection.
    [
      'mysql://far.example.com/shop?ssl-ca=/own.pem',
      '[client]\nssl-ca=/ca.pem\nssl-mode=DISABLED',
      {},
      { tls: true, ca: '/own.pem', namesHost: true },
    ],
    [
      'mysql://far.example.com/shop',
      '[client]\nssl-mode=VERIFY_CA\nssl-ca=/ca.pem',
      {},
      { namesHost: true },
    ],
    ['mysql://localhost/shop', '[client]\nssl-verify-server-cert', {}, { tls: true }],
    ['mysql://localhost/shop?ssl-mode=DISABLED', '[client]\nssl', {}, { tls: false }],
  ])('complete %j with the file %j and the variables %j', async (url, file, variables, login) => {
    expect(await loginOf(url, machineWith(file, variables))).toMatchObject(login)
  })

  test('contain no password if the URL requests a token', async () => {
    const machine = machineWith('[client]\npassword=x', { MYSQL_PWD: 'y' })
    const url = 'mysql://ada@db.a1.eu-west-1.rds.amazonaws.com/shop?auth=rds-iam'
    expect(await loginOf(url, machine)).toMatchObject({ password: '', user: 'ada' })
  })

  test.each([
    [
      'that others can read',
      `[client]\npassword=${MARKER}`,
      0o644,
      /^Other users can read the password/,
    ],
    ['that others can write', '[client]\nuser=ada', 0o622, /^Other users can write to the file/],
  ])('are not read from a file %s', async (_, file, mode, sentence) => {
    const error = await failure(loginOf('mysql:///shop', machineWith(file, {}, mode)))
    expect(error).toMatchObject({ kind: 'config', message: expect.stringMatching(sentence) })
  })

  test('come from a file that others can read if its password is not used', async () => {
    const machine = machineWith('[client]\nuser=bob\npassword=x', {}, 0o644)
    expect(await loginOf('mysql://:own@localhost/shop', machine)).toMatchObject({
      user: 'bob',
      password: 'own',
    })
  })
})

await describeMariaDb('MariaDB over a socket', 'create table nothing (id integer)', (mariadb) => {
  const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
  const { username } = userInfo()
  const machine = testMachine({ user: username })
  afterAll(() => machine.close())

  test('authenticates the operating system user', async () => {
    const [{ socket }] = (await mariadb.admin('select @@socket as socket')) as [{ socket: string }]
    // The user root already exists.
    const known = await mariadb.admin('select 1 from mysql.user where user = ?', [username])
    const isNew = known.length === 0
    if (isNew) await mariadb.admin(`create user ${username}@localhost identified via unix_socket`)
    for (const url of [
      `mysql://${username}@localhost/information_schema?socket=${socket}`,
      `mysql://${encodeURIComponent(socket)}/information_schema`,
      `mysql:///information_schema?unix_socket=${socket}`,
    ]) {
      const sql = 'select user(), @@tx_read_only'
      const { rows } = await (await openOn(machine, url)).query({ sql }, limits)
      expect(rows).toEqual([[`${username}@localhost`, 1]])
    }
    if (isNew) await mariadb.admin(`drop user ${username}@localhost`)
  })

  test('reports a missing socket', async () => {
    const database = await openOn(machine, 'mysql://ada@localhost/shop?socket=/nonexistent.sock')
    const error = await failure(database.query({ sql: 'select 1' }, limits))
    expect(error.kind).toBe('network')
  })
})
