import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTunnel, type Tunnel } from '../../../src/node/ssh/tunnel.ts'
import { type Bastion, type BastionOptions, makeKeys, startBastion } from '../../servers/ssh.ts'
import { failure, MARKER } from '../../support/failure.ts'
import { freePort } from '../../support/port.ts'

const mine = makeKeys()
const locked = makeKeys(MARKER)
let echo: Server
let echoPort: number
let home: string
const ending: (() => Promise<void>)[] = []

beforeAll(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  echoPort = (echo.address() as AddressInfo).port
})

afterAll(() => void echo.close())

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidegate-ssh-'))
  mkdirSync(join(home, '.ssh'))
  file('id_ed25519', mine.private)
})

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
  rmSync(home, { recursive: true })
})

const file = (name: string, text: string) => writeFileSync(join(home, '.ssh', name), text)

/** A server that lets our key in, which the user knows. */
async function bastion(options: BastionOptions = {}): Promise<Bastion> {
  const started = await startBastion({ lets: [mine], ...options })
  ending.push(() => started.close())
  file('known_hosts', `${started.line}\n`)
  return started
}

function tunnel(through: string, variables: Record<string, string> = {}, keyFile?: string): Tunnel {
  const opened = openTunnel({ through, keyFile }, variables, home)
  ending.push(() => opened.close())
  return opened
}

const to = ({ port }: Bastion) => `jump@127.0.0.1:${port}`

const never = new AbortController().signal

async function says(stream: Duplex, text: string): Promise<string> {
  stream.write(text)
  let heard = ''
  for await (const piece of stream) {
    heard += piece
    if (heard.length >= text.length) break
  }
  return heard
}

const tryIt = async (opened: Tunnel) => says(await opened.dial('127.0.0.1', echoPort, never), 'hi')

describe('a tunnel', () => {
  test('leads through the server, and connects to it once', async () => {
    const server = await bastion()
    const opened = tunnel(to(server))
    expect(server.logins()).toBe(0)
    const heard = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const stream = await opened.dial('127.0.0.1', echoPort, never)
        return says(stream, `${i}`.repeat(20_000))
      }),
    )
    expect(heard.every((it, i) => it === `${i}`.repeat(20_000))).toBe(true)
    expect(server.logins()).toBe(1)
    expect(new Set(server.ways)).toEqual(new Set([`127.0.0.1:${echoPort}`]))
  })

  test('leads through several servers, each of which is known', async () => {
    const [first, second] = [await bastion(), await bastion()]
    file('known_hosts', `${first.line}\n${second.line}\n`)
    expect(await tryIt(tunnel(`${to(first)},ssh://${to(second)}`))).toBe('hi')
    expect(first.ways).toEqual([`127.0.0.1:${second.port}`])
    expect(second.ways).toEqual([`127.0.0.1:${echoPort}`])
    file('known_hosts', `${first.line}\n`)
    const { message } = await failure(tryIt(tunnel(`${to(first)},${to(second)}`)))
    expect(message).toContain('not among the known hosts')
  })

  test.skipIf(process.platform === 'win32')('leads to a socket there', async () => {
    const path = join(home, 'socket')
    const server = createServer((socket) => socket.pipe(socket)).listen(path)
    ending.push(async () => void server.close())
    await once(server, 'listening')
    const stream = await tunnel(to(await bastion())).dial(path, 0, never)
    expect(await says(stream, 'hi')).toBe('hi')
  })

  test('connects again where the connection broke, and ends what went through it', async () => {
    const server = await bastion()
    const opened = tunnel(to(server))
    const stream = await opened.dial('127.0.0.1', echoPort, never)
    const ended = once(stream.resume(), 'close')
    server.kill()
    await ended
    expect(await tryIt(opened)).toBe('hi')
    expect(server.logins()).toBe(2)
  })

  test('ends with all that goes through it', async () => {
    const server = await bastion()
    const opened = tunnel(to(server))
    const stream = await opened.dial('127.0.0.1', echoPort, never)
    const ended = once(stream.resume(), 'close')
    await opened.close()
    await ended
    await expect.poll(server.open).toBe(0)
    const { message } = await failure(tryIt(opened))
    expect(message).toBe('The SSH tunnel is closed.')
  })

  test('leaves a caller who left alone, and nothing open for them', async () => {
    const server = await bastion()
    const opened = tunnel(to(server))
    const leaving = new AbortController()
    const waiting = opened.dial('127.0.0.1', echoPort, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    expect(await tryIt(opened)).toBe('hi')
    await expect.poll(server.open).toBe(0)
    const again = new AbortController()
    const late = opened.dial('127.0.0.1', echoPort, again.signal)
    await Promise.resolve()
    again.abort(new Error('left'))
    await expect(late).rejects.toThrow('left')
    await expect.poll(server.open).toBe(0)
  })
})

describe('a server that leads nowhere', () => {
  test('says that it lets nobody through', async () => {
    const error = await failure(tryIt(tunnel(to(await bastion({ refuses: 'in words' })))))
    expect(error).toMatchObject({ kind: 'config', hint: expect.stringContaining('PermitOpen') })
    expect(error.message).toBe(
      `The SSH server 127.0.0.1 lets nobody through to 127.0.0.1:${echoPort}.`,
    )
  })

  test('says that nothing listens at the database', async () => {
    const port = await freePort()
    const opened = tunnel(to(await bastion()))
    const error = await failure(opened.dial('127.0.0.1', port, never))
    expect(error).toMatchObject({
      kind: 'network',
      message: `The SSH server 127.0.0.1 cannot reach 127.0.0.1:${port}.`,
    })
  })

  test('breaks while somebody waits', async () => {
    const server = await bastion({ refuses: 'silently' })
    const waiting = failure(tryIt(tunnel(to(server))))
    await expect.poll(() => server.ways.length).toBe(1)
    server.kill()
    expect(await waiting).toMatchObject({
      kind: 'network',
      message: 'The connection to the SSH server 127.0.0.1 broke.',
    })
  })

  test('is not there', async () => {
    const port = await freePort()
    const { message } = await failure(tryIt(tunnel(`jump@127.0.0.1:${port}`)))
    expect(message).toBe(
      `The SSH server 127.0.0.1:${port} refuses connections: nothing listens there.`,
    )
    const { message: unknown } = await failure(tryIt(tunnel('jump@nobody.invalid')))
    expect(unknown).toMatch(/^The SSH server nobody\.invalid:22 has a name that /)
  })

  test('speaks something else', async () => {
    const web = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    web.listen(0, '127.0.0.1')
    ending.push(async () => void web.close())
    await once(web, 'listening')
    const { port } = web.address() as AddressInfo
    const { message } = await failure(tryIt(tunnel(`jump@127.0.0.1:${port}`)))
    expect(message).toMatch(/does not speak SSH|closed the connection/)
  })
})

describe('the key of a server', () => {
  const shown = ({ hostKeys }: Bastion) => {
    const blob = Buffer.from(hostKeys[0]!.public.split(' ')[1]!, 'base64')
    return `SHA256:${createHash('sha256').update(blob).digest('base64').replace('=', '')}`
  }

  test('is refused where nobody knows it, with its fingerprint', async () => {
    const server = await bastion()
    file('known_hosts', '# nobody\n')
    const error = await failure(tryIt(tunnel(to(server))))
    expect(error.kind).toBe('config')
    expect(error.message).toBe(
      `The SSH server 127.0.0.1 is not among the known hosts. It shows the key ssh-ed25519 ${shown(server)}.`,
    )
    expect(error.hint).toContain(`ssh -p ${server.port} jump@127.0.0.1`)
    expect(error.hint).toContain(`ssh-keyscan -p ${server.port} 127.0.0.1`)
    expect(server.tries).toEqual([])
    rmSync(join(home, '.ssh', 'known_hosts'))
    expect((await failure(tryIt(tunnel(to(server))))).message).toBe(error.message)
  })

  test('is refused where it is another one, before anything is sent', async () => {
    const server = await bastion()
    file('known_hosts', `# first\n[127.0.0.1]:${server.port} ${makeKeys().public}\n`)
    const error = await failure(tryIt(tunnel(to(server))))
    expect(error.message).toContain('THE KEY OF THE SSH SERVER 127.0.0.1 IS ANOTHER ONE')
    expect(error.message).toContain(`${join(home, '.ssh', 'known_hosts')}:2`)
    expect(error.message).toContain(shown(server))
    expect(server.tries).toEqual([])
  })

  test('is refused where it is revoked, though it is known', async () => {
    const server = await bastion()
    file('known_hosts', `${server.line}\n@revoked * ${server.hostKeys[0]!.public}\n`)
    expect((await failure(tryIt(tunnel(to(server))))).message).toContain('revoked')
    expect(server.tries).toEqual([])
  })

  test('is refused where only an authority is known', async () => {
    const server = await bastion()
    file('known_hosts', `@cert-authority * ${makeKeys().public}\n`)
    expect((await failure(tryIt(tunnel(to(server))))).message).toContain(
      'verifies no certificates of SSH',
    )
  })

  test.each<[string, (server: Bastion) => string]>([
    ['by its address alone', ({ hostKeys }) => `127.0.0.1 ${hostKeys[0]!.public}`],
    ['by a pattern', ({ hostKeys }) => `10.0.0.1,127.0.?.* ${hostKeys[0]!.public}`],
    ['beside older keys', (it) => `${it.line}\n[127.0.0.1]:${it.port} ${makeKeys().public}`],
    ['in a file of Windows', ({ line }) => `\uFEFF# known\r\n${line}\r\n`],
  ])('is known %s', async (_title, line) => {
    const server = await bastion()
    file('known_hosts', `${line(server)}\n`)
    expect(await tryIt(tunnel(to(server)))).toBe('hi')
  })

  test('is not known by a pattern that excludes the server', async () => {
    const server = await bastion()
    file('known_hosts', `*,![127.0.0.1]:${server.port},!127.0.0.1 ${server.hostKeys[0]!.public}\n`)
    expect((await failure(tryIt(tunnel(to(server))))).message).toContain('not among the known')
  })

  test('is known where ssh-keygen hashed the names', async () => {
    const server = await bastion()
    execFileSync('ssh-keygen', ['-q', '-H', '-f', join(home, '.ssh', 'known_hosts')], {
      stdio: 'ignore',
    })
    expect(readFileSync(join(home, '.ssh', 'known_hosts'), 'utf8')).toMatch(/^\|1\|/)
    expect(await tryIt(tunnel(to(server)))).toBe('hi')
  })

  test('is looked for in a file that is named', async () => {
    const server = await bastion()
    const path = join(home, 'others')
    writeFileSync(path, `${server.line}\n`)
    file('known_hosts', '')
    const opened = openTunnel({ through: to(server), knownHostsFile: path }, {}, home)
    ending.push(() => opened.close())
    expect(await tryIt(opened)).toBe('hi')
    const other = openTunnel({ through: to(server), knownHostsFile: `${path}2` }, {}, home)
    expect((await failure(tryIt(other))).message).toContain(`There is no file ${path}2`)
  })

  test('is asked for as it is known, where a server has several', async () => {
    const path = join(home, 'ecdsa')
    execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-m', 'PEM', '-f', path])
    const ecdsa = {
      private: readFileSync(path, 'utf8'),
      public: readFileSync(`${path}.pub`, 'utf8').trim(),
    }
    const server = await bastion({ hostKeys: [makeKeys(), ecdsa] })
    file('known_hosts', `[127.0.0.1]:${server.port} ${ecdsa.public}\n`)
    expect(await tryIt(tunnel(to(server)))).toBe('hi')
  })
})

describe('a login', () => {
  test('takes the key that is named', async () => {
    const other = makeKeys()
    const path = join(home, 'work key')
    writeFileSync(path, other.private)
    const server = await bastion({ lets: [other] })
    expect(await tryIt(tunnel(to(server), {}, '~/work key'))).toBe('hi')
    expect((await failure(tryIt(tunnel(to(server))))).message).toBe(
      'The SSH server 127.0.0.1 refuses the login of jump.',
    )
  })

  test('opens an encrypted key by its passphrase alone', async () => {
    file('id_ed25519', locked.private)
    const server = await bastion({ lets: [locked] })
    const error = await failure(tryIt(tunnel(to(server))))
    expect(error.message).toContain(`${join(home, '.ssh', 'id_ed25519')} is encrypted`)
    expect(error.hint).toContain('SSH_KEY_PASSPHRASE')
    expect((await failure(tryIt(tunnel(to(server), { SSH_KEY_PASSPHRASE: 'no' })))).message).toBe(
      error.message,
    )
    expect(await tryIt(tunnel(to(server), { SSH_KEY_PASSPHRASE: MARKER }))).toBe('hi')
  })

  test('takes the password of a variable last', async () => {
    const server = await bastion({ lets: [], password: MARKER })
    await failure(tryIt(tunnel(to(server), { SSH_PASSWORD: `${MARKER}!` })))
    const before = server.tries.length
    expect(await tryIt(tunnel(to(server), { SSH_PASSWORD: MARKER }))).toBe('hi')
    expect([...new Set(server.tries.slice(before))]).toEqual(['publickey', 'password'])
  })

  test('says what is missing', async () => {
    rmSync(join(home, '.ssh', 'id_ed25519'))
    const server = await bastion()
    expect((await failure(tryIt(tunnel(to(server))))).hint).toContain('There is no key to show')
    const { message } = await failure(tryIt(tunnel(to(server), {}, '~/.ssh/absent')))
    expect(message).toContain(`There is no file ${join(home, '.ssh', 'absent')}`)
    file('broken', MARKER)
    const broken = await failure(tryIt(tunnel(to(server), {}, '~/.ssh/broken')))
    expect(broken.message).toContain('holds no private key')
  })

  test('goes on where the agent does not answer', async () => {
    const server = await bastion()
    file('config', 'IdentityFile ~/.ssh/id_ed25519\n')
    expect(await tryIt(tunnel(to(server), { SSH_AUTH_SOCK: join(home, 'nobody') }))).toBe('hi')
    rmSync(join(home, '.ssh', 'config'))
    expect(await tryIt(tunnel(to(server), { SSH_AUTH_SOCK: join(home, 'nobody') }))).toBe('hi')
  })
})

describe('the configuration of ssh', () => {
  test('says who and where a host is', async () => {
    const server = await bastion()
    file('config', `Host office\n  HostName 127.0.0.1\n  Port ${server.port}\n  User jump\n`)
    expect(await tryIt(tunnel('office'))).toBe('hi')
  })

  test('leads through a ProxyJump', async () => {
    const [first, second] = [await bastion(), await bastion()]
    file('known_hosts', `${first.line}\n${second.line}\n`)
    file(
      'config',
      `Host far\n HostName 127.0.0.1\n Port ${second.port}\n ProxyJump near\nHost near\n HostName 127.0.0.1\n Port ${first.port}\nHost *\n User jump\n`,
    )
    expect(await tryIt(tunnel('far'))).toBe('hi')
    expect(first.ways).toEqual([`127.0.0.1:${second.port}`])
    file('config', 'Host one\n ProxyJump two\nHost two\n ProxyJump one\n')
    expect((await failure(tryIt(tunnel('one')))).message).toContain('more than 8 servers')
    file('config', 'ProxyCommand nc %h %p\n')
    expect((await failure(tryIt(tunnel('one')))).message).toContain('Tidegate runs none')
  })
})

describe('what is written for a tunnel', () => {
  test.each([
    ['', 'Write the SSH server as'],
    ['a@', 'Write the SSH server as'],
    ['-oProxyCommand=x', 'Write the SSH server as'],
    ['a b', 'Write the SSH server as'],
    ['bastion:0', 'port'],
    ['bastion:99999', 'port'],
    ['bastion:ssh', 'port'],
    ['one,,two', 'Write the SSH server as'],
    [`ssh://jump:${MARKER}@bastion`, 'SSH_PASSWORD'],
    [`jump:${MARKER}@bastion`, 'Write the SSH server as'],
    ['1,2,3,4,5,6,7,8,9', 'The most are 8'],
  ])('%s is refused at once', async (text, expected) => {
    expect((await failure(() => openTunnel({ through: text }, {}, home))).message).toContain(
      expected,
    )
  })
})
