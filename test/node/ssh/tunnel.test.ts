import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { checkedWay } from '../../../src/node/checked-way.ts'
import { type Tunnel, tunnelOf } from '../../../src/node/ssh/tunnel.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { startMariaDb } from '../../support/mariadb.ts'
import { freePort } from '../../support/port.ts'
import { startPostgres } from '../../support/postgres.ts'
import { startSshd } from '../../support/sshd.ts'

vi.mock('cloudflare:workers', () => import('../../../src/node/workers.ts'))

const NO_DESCRIPTOR = 'This machine has no free file descriptor for a connection.'

const home = mkdtempSync(join(tmpdir(), 'tidegate-ssh-test-'))
let files = 0
function file(text: string): string {
  const path = join(home, `${++files}`)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const key = (passphrase = ''): string => {
  const path = join(home, `key ${++files}`)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', path])
  return path
}

const SSH = ['/usr/bin/ssh', '/usr/local/bin/ssh'].find((it) => existsSync(it))

/** A folder for PATH with an `ssh` that runs this script. */
function sshAs(script: string): string {
  const folder = mkdtempSync(join(home, 'bin-'))
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return folder
}

/** Looks like messages of ssh, with text that must not be shown to anyone. */
const forged = [
  `No ${MARKER} host key is known for ${MARKER} and you have requested strict checking.`,
  `debug1: Server host key: ${MARKER} SHA256:${MARKER}`,
  `Permissions 0644 for '${MARKER}' are too open.`,
  `Load key "${MARKER}": ${MARKER}`,
  `${MARKER}: Permission denied (${MARKER}).`,
  `ssh: connect to host ${MARKER} port 1: ${MARKER}`,
  `\u001B[31m${MARKER}`,
]
const banner = file(`${`${MARKER}\n`.repeat(3_000)}${forged.join('\n')}\n`)
const opening = file('debug2: channel 0: open confirm rwindow 1 rmax 1\n')

const [sshd, strict, far, lying, early, postgres, mariadb] = await Promise.all([
  startSshd(),
  startSshd(['PermitOpen none', 'MaxAuthTries 2']),
  startSshd(),
  startSshd(['PermitOpen none', `Banner ${banner}`]),
  startSshd(['PermitOpen none', `Banner ${opening}`]),
  startPostgres('create table t as select generate_series(1, 20000) as n'),
  startMariaDb('create table t (n integer); insert into t values (1), (2), (3)'),
])

const tunnels: Tunnel[] = []
const never = new AbortController().signal

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const it of tunnels.splice(0)) await it.close()
})

afterAll(async () => {
  for (const it of [sshd, strict, far, lying, early]) await it?.close()
  await postgres?.drop()
  await mariadb?.drop()
  rmSync(home, { recursive: true })
})

function through(variables: Record<string, string | undefined>): Tunnel {
  const opened = tunnelOf(variables, home)!
  tunnels.push(opened)
  return opened
}

/** A pg client over a stream that is already connected. */
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

/** The error of a tunnel to a port. Nothing has to listen there. */
const why = (variables: Record<string, string | undefined>, port = 9) =>
  failure(through(variables).dial('127.0.0.1', port, never))

async function asks(tunnel: Tunnel): Promise<unknown> {
  const one = await client(tunnel)
  const { rows } = await one.query('select count(*), sum(n) from t')
  await one.end()
  return rows[0]
}

const SUM = { count: '20000', sum: '200010000' }

describe.skipIf(!sshd || !postgres)('a database behind an sshd', () => {
  test('answers many queries at once, and leaves no process', async () => {
    const tunnel = through(sshd!.variables)
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const one = await client(tunnel)
        const { rows } = await one.query('select n from t')
        await one.end()
        return rows.length
      }),
    )
    expect(all).toEqual(all.map(() => 20_000))
    expect(new Set(sshd!.ways())).toEqual(new Set([`127.0.0.1 port ${postgres!.config.port}`]))
    await expect.poll(sshd!.clients).toBe(0)
  })

  test('sends and receives large values', async () => {
    const one = await client(through(sshd!.variables))
    const text = 'x'.repeat(5_000_000)
    const { rows } = await one.query('select $1::text as text', [text])
    expect(rows[0].text === text).toBe(true)
    await one.end()
  })

  test.skipIf(!mariadb)('can be MariaDB', async () => {
    const stream = await through(sshd!.variables).dial(mariadb!.host, mariadb!.port, never)
    const { owner: user, database } = mariadb!
    const one = await mysql.createConnection({ user, database, stream: () => stream })
    expect((await one.query('select sum(n) as n from t'))[0]).toEqual([{ n: '6' }])
    await one.end()
  })

  test('fails immediately when the connection is cut, and can be reached again', async () => {
    const tunnel = through(sshd!.variables)
    const one = await client(tunnel)
    const asked = one.query('select pg_sleep(60)')
    asked.catch(() => {})
    sshd!.cut()
    await expect(asked).rejects.toThrow('The SSH connection to the database broke.')
    await expect.poll(sshd!.clients).toBe(0)
    expect(await asks(tunnel)).toEqual(SUM)
  })

  test('is disconnected when a stream, a call or the tunnel ends', async () => {
    const tunnel = through(sshd!.variables)
    const { host, port } = postgres!.config
    const stream = await tunnel.dial(host!, port!, never)
    expect(sshd!.clients()).toBe(1)
    stream.destroy()
    await expect.poll(sshd!.clients).toBe(0)

    const leaving = new AbortController()
    const waiting = tunnel.dial(host!, port!, leaving.signal)
    await expect.poll(sshd!.clients).toBe(1)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    await expect.poll(sshd!.clients).toBe(0)

    const last = await tunnel.dial(host!, port!, never)
    const ended = once(last.resume(), 'error')
    await tunnel.close()
    expect(String((await ended)[0])).toContain('broke')
    await expect.poll(sshd!.clients).toBe(0)
    expect((await failure(tunnel.dial(host!, port!, never))).message).toBe(
      'The SSH tunnel is closed.',
    )
  })

  test('can be behind several servers, and each must be a known host', async () => {
    const [first, last] = [sshd!.variables.SSH_TUNNEL, far!.variables.SSH_TUNNEL]
    const both = file(sshd!.line + far!.line)
    // The second server has its own key, which the agent or the configuration provides.
    const config = file(`IdentityFile ${far!.variables.SSH_KEY}\nStrictHostKeyChecking no\n`)
    const variables = {
      ...sshd!.variables,
      ...{ SSH_TUNNEL: `${first},ssh://${last}`, SSH_KNOWN_HOSTS: both, SSH_CONFIG: config },
    }
    expect(await asks(through(variables))).toEqual(SUM)
    expect(sshd!.ways()).toContain(`127.0.0.1 port ${far!.port}`)
    const before = sshd!.logins()
    const { message } = await why({ ...variables, SSH_KNOWN_HOSTS: file(far!.line) })
    expect(message).toBe(`A jump host of ${variables.SSH_TUNNEL} is not a known host.`)
    expect(sshd!.logins()).toBe(before)
    const { message: second } = await why({ ...variables, SSH_KNOWN_HOSTS: file(sshd!.line) })
    expect(second).toMatch(/^The SSH server .* is not a known host\. It shows the key ssh-ed25519 /)
  })

  test('can be reached through the jump hosts of an ssh configuration', async () => {
    const config = `Host office\n HostName 127.0.0.1\n Port ${far!.port}\n IdentityFile ${far!.variables.SSH_KEY}\n ProxyJump near\nHost near\n HostName 127.0.0.1\n Port ${sshd!.port}\n IdentityFile ${sshd!.variables.SSH_KEY}\nHost *\n User ${sshd!.user}\n`
    const variables = {
      SSH_TUNNEL: 'office',
      SSH_CONFIG: file(config),
      SSH_KNOWN_HOSTS: file(sshd!.line + far!.line),
    }
    const before = far!.logins()
    expect(await asks(through(variables))).toEqual(SUM)
    expect(far!.logins()).toBe(before + 1)
  })

  test('is reached with our settings, even if an ssh configuration contradicts them', async () => {
    const made = join(home, 'made by a command')
    const settings = `StrictHostKeyChecking no\nLogLevel QUIET\nPermitLocalCommand yes\nLocalCommand touch '${made}'\nRemoteCommand touch '${made}'\nRequestTTY force\nForwardAgent yes\nControlMaster auto\nControlPath ${home}/control\nLocalForward ${await freePort()} 127.0.0.1:1\nBatchMode no\n`
    const variables = { ...sshd!.variables, SSH_CONFIG: file(settings) }
    expect(await asks(through(variables))).toEqual(SUM)
    expect([existsSync(made), existsSync(`${home}/control`)]).toEqual([false, false])
    const { message } = await why({ ...variables, SSH_KNOWN_HOSTS: file('') })
    expect(message).toContain('is not a known host')
  })

  test('leaves no process if the configuration sends ssh to the background', async () => {
    // Options that the user's own files ignore stay ignored.
    const own = 'IgnoreUnknown UseKeychain\nUseKeychain yes\nForkAfterAuthentication yes\n'
    const config = file(own)
    const tunnel = through({ ...sshd!.variables, SSH_CONFIG: config })
    expect(await asks(tunnel)).toEqual(SUM)
    await tunnel.close()
    await expect.poll(sshd!.clients).toBe(0)
  })

  test('can be reached with an ssh that is too old for ForkAfterAuthentication', async () => {
    const words = [
      'debug1: Reading configuration data %s',
      '%s: line 19: Bad configuration option: forkafterauthentication',
      '%s: terminating, 1 bad configuration options',
    ]
    const refused = words.map((it) => `printf '${it}\\r\\n' "$2" >&2`).join('\n')
    const folder = sshAs(`if grep -qi forkafter "$2"
then ${refused}; exit 255
fi
exec '${SSH}' "$@"`)
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    const tunnel = through(sshd!.variables)
    expect(await asks(tunnel)).toEqual(SUM)
    expect(await asks(tunnel)).toEqual(SUM)
  })
})

describe.skipIf(!sshd)('a login', () => {
  test('uses the keys of an agent, and tries the configured key first', async () => {
    const socket = join(home, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    try {
      await expect.poll(() => existsSync(socket)).toBe(true)
      const own = strict!.variables.SSH_KEY!
      for (const it of [key(), key(), key(), own]) {
        execFileSync('ssh-add', ['-q', it], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      }
      // Only its public key is in a file.
      const half = join(home, 'half')
      writeFileSync(`${half}.pub`, readFileSync(`${own}.pub`))
      const variables = { ...strict!.variables, SSH_KEY: half, SSH_AUTH_SOCK: socket }
      expect((await why(variables)).message).toContain('does not let this user through')
      const none = await why({ ...variables, SSH_AUTH_SOCK: undefined })
      expect(none.message).toContain('refuses the login')
    } finally {
      agent.kill()
      await once(agent, 'exit')
    }
  })

  test('is refused with an unknown or encrypted key, or one that other users can read', async () => {
    const error = await why({ ...sshd!.variables, SSH_KEY: key() })
    expect(error).toMatchObject({ kind: 'config', hint: expect.stringContaining('ssh-add') })
    expect(error.message).toBe(`The SSH server ${sshd!.variables.SSH_TUNNEL} refuses the login.`)
    const locked = join(home, 'locked')
    writeFileSync(locked, readFileSync(sshd!.variables.SSH_KEY!), { mode: 0o600 })
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', MARKER, '-f', locked])
    const { hint } = await why({ ...sshd!.variables, SSH_KEY: locked, SSH_PASSWORD: MARKER })
    expect(hint).toContain('the key is encrypted')
    const open = file(readFileSync(sshd!.variables.SSH_KEY!, 'utf8'))
    chmodSync(open, 0o644)
    expect((await why({ ...sshd!.variables, SSH_KEY: open })).message).toContain(
      'other users can read it',
    )
  })

  test('names the file that is missing, or explains why it is invalid', async () => {
    for (const name of ['SSH_KEY', 'SSH_KNOWN_HOSTS', 'SSH_CONFIG']) {
      const { message } = await why({ ...sshd!.variables, [name]: '~/absent' })
      expect(message).toBe(`There is no file ${join(home, 'absent')}, which SSH needs.`)
      const { message: odd } = await why({ ...sshd!.variables, [name]: 'a"\nProxyCommand b' })
      expect(odd).toContain('has a character that ssh does not accept')
    }
    const { message } = await why({ ...sshd!.variables, SSH_KEY: file(MARKER) })
    expect(message).toContain('has no private key')
    const config = file(`NoSuch ${MARKER}\n`)
    expect((await why({ ...sshd!.variables, SSH_CONFIG: config })).message).toBe(
      'ssh does not accept its configuration.',
    )
  })

  test('passes no secret of the gateway to ssh', async () => {
    vi.stubEnv('TIDEGATE_KEY', MARKER)
    vi.stubEnv('DATABASE_URL', MARKER)
    vi.stubEnv('SSH_PASSWORD', MARKER)
    const seen = join(home, 'environment')
    const config = file(`ProxyCommand sh -c "env > '${seen}'"\n`)
    await why({ ...sshd!.variables, SSH_CONFIG: config })
    const text = readFileSync(seen, 'utf8')
    expect(text).toContain('PATH=')
    expect(text).not.toContain(MARKER)
  })
})

describe.skipIf(!sshd)('the host key of a server', () => {
  test('is refused if it is unknown, and the error shows its fingerprint', async () => {
    const before = sshd!.logins()
    const error = await why({ ...sshd!.variables, SSH_KNOWN_HOSTS: file('# nobody\n') })
    const shown = execFileSync('ssh-keygen', ['-lf', sshd!.variables.SSH_KNOWN_HOSTS!])
    const [, fingerprint] = String(shown).split(' ')
    expect(error.message).toBe(
      `The SSH server ${sshd!.variables.SSH_TUNNEL} is not a known host. It shows the key ssh-ed25519 ${fingerprint}.`,
    )
    expect(error.hint).toContain(`ssh -l ${sshd!.user} -p ${sshd!.port} 127.0.0.1`)
    expect(sshd!.logins()).toBe(before)
  })

  test('is refused before a login if it has changed or is revoked', async () => {
    const before = sshd!.logins()
    const [host, type, blob] = sshd!.line.trim().split(' ')
    const other = readFileSync(`${key()}.pub`, 'utf8')
    const changed = await why({ ...sshd!.variables, SSH_KNOWN_HOSTS: file(`${host} ${other}`) })
    expect(changed.kind).toBe('config')
    expect(changed.message).toMatch(/ SHOWS A DIFFERENT KEY THAN BEFORE: SHA256:/)
    const revoked = file(`${sshd!.line}@revoked * ${type} ${blob}\n`)
    const { message } = await why({ ...sshd!.variables, SSH_KNOWN_HOSTS: revoked })
    expect(message).toContain('a key that is revoked')
    expect(sshd!.logins()).toBe(before)
  })
})

describe('a server that does not lead to the database', () => {
  test.skipIf(!strict)('causes a clear error if it does not allow forwarding', async () => {
    const error = await why(strict!.variables, 5432)
    expect(error).toMatchObject({ kind: 'config', hint: expect.stringContaining('PermitOpen') })
    expect(error.message).toContain('does not let this user through to [127.0.0.1]:5432')
  })

  test.skipIf(!lying)('cannot put its own text into an error', async () => {
    // `failure` checks that the marker is not in the error.
    expect((await why(lying!.variables, 5432)).kind).toBe('config')
    expect((await why({ ...lying!.variables, SSH_KEY: key() }, 5432)).kind).toBe('config')
  })

  test.skipIf(!early)('causes a broken stream if it confirms the channel too early', async () => {
    const stream = await through(early!.variables).dial('127.0.0.1', 5432, never)
    await expect(once(stream.resume(), 'end')).rejects.toThrow('broke')
  })

  test.skipIf(!sshd)('causes a clear error if nothing listens at the database', async () => {
    const port = await freePort()
    expect(await why(sshd!.variables, port)).toMatchObject({
      kind: 'network',
      message: `The SSH server ${sshd!.variables.SSH_TUNNEL} cannot reach [127.0.0.1]:${port}.`,
    })
  })

  test('causes a clear error if it is not running, or its name cannot be resolved', async () => {
    const port = await freePort()
    const SSH_CONFIG = file('')
    const { message } = await why({ SSH_TUNNEL: `jump@127.0.0.1:${port}`, SSH_CONFIG })
    expect(message).toBe(
      `The SSH server jump@127.0.0.1:${port} refuses connections: nothing listens there.`,
    )
    const { message: unknown } = await why({ SSH_TUNNEL: 'nobody.invalid', SSH_CONFIG })
    expect(unknown).toBe('The SSH server nobody.invalid has a name that cannot be looked up.')
  })

  test.each<[string, string | undefined]>([
    ['speaks another protocol', `HTTP/1.1 400 ${MARKER}\r\n\r\n`],
    ['is silent', undefined],
  ])('%s', { timeout: 30_000 }, async (_, words) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (words) socket.end(words)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const error = await why({ SSH_TUNNEL: `jump@127.0.0.1:${port}`, SSH_CONFIG: file('') })
    expect(error.message).toContain('did not start the SSH protocol')
    server.close()
  })

  test('cannot be used without ssh on the machine', async () => {
    vi.stubEnv('PATH', home)
    const error = await why({ SSH_TUNNEL: 'bastion', SSH_CONFIG: file('') })
    expect(error.message).toContain('There is no ssh on this machine')
    expect(error.hint).toContain('openssh-client')
  })

  test.each([
    ['/run/mysqld/mysqld.sock', 'A socket cannot be reached through SSH'],
    ['a\nb', 'has characters that no host name can have'],
    ['a b', 'has characters that no host name can have'],
    ['a]:1', 'has characters that no host name can have'],
    ['', 'has characters that no host name can have'],
  ])('a database at %j is refused before ssh is started', async (host, expected) => {
    vi.stubEnv('PATH', home)
    const dialled = through({ SSH_TUNNEL: 'bastion' }).dial(host, 1, never)
    expect((await failure(dialled)).message).toContain(expected)
  })
})

test.skipIf(!sshd || !postgres)(
  'a database URL of another person reaches only allowed hosts',
  async () => {
    const { port } = postgres!.config
    const tunnel = through(sshd!.variables)
    const ways = sshd!.ways().length
    const closed = checkedWay([], tunnel.dial)
    for (const host of ['127.0.0.1', 'localhost', '/tmp/socket', '10.0.0.1', '-oProxyCommand=x']) {
      await expect(closed.dial(host, port!, never)).rejects.toThrow()
    }
    expect(sshd!.ways()).toHaveLength(ways)
    const opened = checkedWay(['127.0.0.1'], tunnel.dial)
    const stream = await opened.dial('127.0.0.1', port!, never)
    stream.destroy()
    expect(sshd!.ways()).toHaveLength(ways + 1)
  },
)

describe('the processes of a tunnel', () => {
  /** An ssh that logs in once a file exists, with a count of its processes. */
  function slowSsh() {
    const folder = mkdtempSync(join(home, 'logins-'))
    const isIn = join(folder, 'in')
    const script = `: > '${folder}'/started.$$
while ! [ -e '${isIn}' ]; do sleep 0.05; done
printf 'Authenticated to bastion\\r\\n' >&2
exec sleep 60`
    vi.stubEnv('PATH', `${sshAs(script)}:${process.env.PATH}`)
    return {
      logIn: () => writeFileSync(isIn, ''),
      started: () => readdirSync(folder).filter((it) => it.startsWith('started.')).length,
    }
  }

  /** Dials this many times. Each call returns when its signal aborts. */
  function dialling(times: number) {
    const tunnel = through({ SSH_TUNNEL: 'bastion', SSH_CONFIG: file('') })
    return Array.from({ length: times }, () => {
      const leaving = new AbortController()
      const over = tunnel.dial('127.0.0.1', 5432, leaving.signal).then(
        () => 'opened',
        (error: Error) => error.message,
      )
      return { over, leave: () => leaving.abort(new Error('left')) }
    })
  }

  const settled = () => new Promise((resolve) => setTimeout(resolve, 500))

  test('log in at most eight at a time, and the end of a login lets the next one start', async () => {
    const { started, logIn } = slowSsh()
    const calls = dialling(20)
    await expect.poll(started, { timeout: 20_000 }).toBe(8)
    await settled()
    expect(started()).toBe(8)
    // A caller who leaves frees its slot, or gives up its place in the queue.
    for (const it of [calls[0]!, calls[19]!]) it.leave()
    await expect.poll(started, { timeout: 20_000 }).toBe(9)
    await settled()
    expect(started()).toBe(9)
    // The login is over, even if the database does not answer.
    logIn()
    await expect.poll(started, { timeout: 20_000 }).toBe(19)
    for (const it of calls) it.leave()
    for (const { over } of calls) expect(await over).toBe('left')
  })

  test.skipIf(process.platform === 'win32')(
    'fail with a clear error without a free file descriptor, and then use no slot',
    async () => {
      const program = `
        import { closeSync, openSync } from 'node:fs'
        import { tunnelOf } from ${JSON.stringify(import.meta.resolve('../../../src/node/ssh/tunnel.ts'))}
        const tunnel = tunnelOf({ SSH_TUNNEL: 'bastion', SSH_CONFIG: ${JSON.stringify(file(''))} }, '/')
        const dial = () => tunnel.dial('127.0.0.1', 9, AbortSignal.timeout(20_000)).catch((it) => it)
        const open = []
        try {
          for (;;) open.push(openSync('/dev/null'))
        } catch {}
        const raw = []
        for (let i = 0; i < 20; i++) raw.push((await dial()).message)
        // Enough for the settings file, but not for the pipes of a process.
        for (const it of open.splice(0, 3)) closeSync(it)
        const messages = []
        for (let i = 0; i < 20; i++) messages.push((await dial()).message)
        for (const it of open) closeSync(it)
        messages.push((await dial()).message)
        await tunnel.close()
        console.log(JSON.stringify([...new Set(raw), ...new Set(messages)]))`
      vi.stubEnv('PATH', `${sshAs('exit 1')}:${process.env.PATH}`)
      const limited = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"'
      const said = execFileSync('sh', ['-c', limited, process.execPath, program])
      expect(JSON.parse(String(said))).toEqual([
        NO_DESCRIPTOR,
        NO_DESCRIPTOR,
        'The SSH server bastion could not be used.',
      ])
    },
  )
})

describe('the SSH_TUNNEL setting', () => {
  test.each([
    ['-oProxyCommand=x', 'Write the SSH server as'],
    ['-l', 'Write the SSH server as'],
    ['-oProxyCommand=x@bastion', 'Write the SSH server as'],
    ['near,-oProxyCommand=x', 'Write the SSH server as'],
    ['near,-x@bastion', 'Write the SSH server as'],
    ['$(touch x)@bastion', 'Write the SSH server as'],
    ['`id`@bastion', 'Write the SSH server as'],
    ["a'b@bastion", 'Write the SSH server as'],
    ['a;b@bastion', 'Write the SSH server as'],
    ['a\\@bastion', 'Write the SSH server as'],
    ['me@bas|tion', 'Write the SSH server as'],
    ['me@bastion -oProxyCommand=x', 'Write the SSH server as'],
    ['me@bastion\nProxyCommand x', 'Write the SSH server as'],
    ['a@', 'Write the SSH server as'],
    ['one,,two', 'Write the SSH server as'],
    ['bastion:0', 'port'],
    ['bastion:99999', 'port'],
    ['bastion:ssh', 'port'],
    [`ssh://jump:${MARKER}@bastion`, 'has a password'],
    [`jump:${MARKER}@bastion`, 'Write the SSH server as'],
    ['1,2,3,4,5,6,7,8,9', 'The maximum is 8'],
  ])('%j is refused immediately', async (text, expected) => {
    const { message } = await failure(() => tunnelOf({ SSH_TUNNEL: text }, home))
    expect(message).toContain(expected)
  })

  test.each(['bastion', 'me@bastion:22', 'CORP\\jane@10.0.0.1', 'jé.b-c+d@[fe80::1]:2222', '::1'])(
    '%s can be an SSH server',
    async (text) => {
      await tunnelOf({ SSH_TUNNEL: text }, home)!.close()
    },
  )
})
