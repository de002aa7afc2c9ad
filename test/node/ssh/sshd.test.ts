import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { openTunnel, type Tunnel } from '../../../src/node/ssh/tunnel.ts'
import { failure } from '../../support/failure.ts'
import { startMariaDb } from '../../support/mariadb.ts'
import { startPostgres } from '../../support/postgres.ts'
import { type Sshd, startSshd } from '../../support/sshd.ts'

const [sshd, strict, breaking, postgres, mariadb] = await Promise.all([
  startSshd(),
  startSshd(['PermitOpen none', 'MaxAuthTries 2']),
  startSshd(),
  startPostgres('create table t as select generate_series(1, 20000) as n'),
  startMariaDb('create table t (n integer); insert into t values (1), (2), (3)'),
])

const never = new AbortController().signal
const tunnels: Tunnel[] = []

afterAll(async () => {
  for (const it of tunnels) await it.close()
  for (const it of [sshd, strict, breaking]) await it?.close()
  await postgres?.drop()
  await mariadb?.drop()
})

function through({ user, port, home }: Sshd, variables: Record<string, string> = {}): Tunnel {
  const opened = openTunnel({ through: `${user}@127.0.0.1:${port}` }, variables, home)
  tunnels.push(opened)
  return opened
}

/** A client of pg that speaks over a stream which is connected already. */
async function client(tunnel: Tunnel): Promise<pg.Client> {
  const { host, port, ...config } = postgres!.config
  const stream = await tunnel.dial(host!, port!, never)
  const connect = () => process.nextTick(() => stream.emit('connect'))
  const made = new pg.Client({
    ...config,
    stream: () => Object.assign(stream, { connect }) as never,
  })
  made.on('error', () => {})
  await made.connect()
  return made
}

describe.skipIf(!sshd || !postgres)('PostgreSQL behind an sshd', () => {
  test('answers a hundred at once over one connection', async () => {
    const tunnel = through(sshd!)
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const one = await client(tunnel)
        const { rows } = await one.query('select count(*), sum(n) from t')
        const { rows: many } = await one.query('select n from t')
        await one.end()
        return [rows[0], many.length]
      }),
    )
    expect(all).toHaveLength(50)
    for (const it of all) expect(it).toEqual([{ count: '20000', sum: '200010000' }, 20_000])
  })

  test('loses its callers when the server dies in the middle, and they know at once', async () => {
    const one = await client(through(breaking!))
    const asked = one.query('select pg_sleep(60)')
    asked.catch(() => {})
    await breaking!.close()
    await expect(asked).rejects.toThrow(/terminated/)
  })
})

test.skipIf(!sshd || !mariadb)('MariaDB answers behind an sshd', async () => {
  const stream = await through(sshd!).dial(mariadb!.host, mariadb!.port, never)
  const { owner: user, database } = mariadb!
  const one = await mysql.createConnection({ user, database, stream: () => stream })
  expect((await one.query('select sum(n) as n from t'))[0]).toEqual([{ n: '6' }])
  await one.end()
})

test.skipIf(!strict)('what an sshd permits nobody is told', async () => {
  const error = await failure(through(strict!).dial('127.0.0.1', 5432, never))
  expect(error.message).toBe('The SSH server 127.0.0.1 lets nobody through to 127.0.0.1:5432.')
})

test.skipIf(!sshd || !strict)(
  'a key in an agent lets in, before others that it holds',
  async () => {
    const { home } = strict!
    const socket = join(home, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    try {
      await expect.poll(() => existsSync(socket)).toBe(true)
      const own = join(home, '.ssh', 'id_ed25519')
      const add = (path: string) =>
        execFileSync('ssh-add', ['-q', path], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      for (const i of [1, 2, 3]) {
        const other = join(home, `other${i}`)
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other])
        add(other)
      }
      add(own)
      // Only its public half stays where ssh looks.
      renameSync(own, `${own}.away`)
      const dial = (variables: Record<string, string>) =>
        failure(through(strict!, variables).dial('127.0.0.1', 5432, never))
      expect((await dial({ SSH_AUTH_SOCK: socket })).message).toContain('lets nobody through')
      expect((await dial({})).message).toContain('refuses the login')
    } finally {
      agent.kill()
      await once(agent, 'exit')
    }
  },
)
