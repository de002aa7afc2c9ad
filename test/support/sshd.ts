import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './port.ts'

const PROGRAM = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd'].find((it) =>
  existsSync(it),
)

/** The OpenSSH server on a port of this machine, for the user who runs the test. */
export interface Sshd {
  readonly port: number
  readonly user: string
  /** A folder with the unencrypted key that can log in, and the known host. */
  readonly home: string
  /** Its line in a known_hosts file. */
  readonly line: string
  /** Variables of a gateway that uses it as a tunnel, and reads nothing in the user's own folder. */
  readonly variables: Readonly<Record<string, string>>
  /** The number of logins, and the targets of the connections: `127.0.0.1 port 5432`. */
  logins(): number
  ways(): readonly string[]
  /** The number of processes on this machine that are its clients. */
  clients(): number
  /** Breaks its connections, like a failing network. */
  cut(): void
  /** Stops it, with all its connections. */
  close(): Promise<void>
}

/** Starts it. Without OpenSSH, it logs the reason and returns undefined, or throws if REQUIRE_ALL=1. */
export async function startSshd(settings: readonly string[] = []): Promise<Sshd | undefined> {
  if (!PROGRAM) {
    if (process.env.REQUIRE_ALL === '1') throw new Error('There is no sshd.')
    console.warn('Skipped for want of an sshd: apt-get install openssh-server')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-sshd-'))
  const home = join(folder, 'home')
  mkdirSync(join(home, '.ssh'), { recursive: true })
  const key = (path: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
  key(join(folder, 'host'))
  key(join(home, '.ssh', 'id_ed25519'))
  const port = await freePort()
  const hostKey = readFileSync(join(folder, 'host.pub'), 'utf8')
  const line = `[127.0.0.1]:${port} ${hostKey}`
  const path = (name: string) => join(home, '.ssh', name)
  writeFileSync(path('known_hosts'), line)
  writeFileSync(path('config'), '', { mode: 0o600 })
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      ...settings,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(home, '.ssh', 'id_ed25519.pub')}`,
      `PidFile ${join(folder, 'pid')}`,
      ...['StrictModes no', 'UsePAM no', 'PasswordAuthentication no', 'PermitRootLogin yes'],
      'LogLevel DEBUG1',
    ].join('\n'),
  )
  // For privilege separation. Debian creates this folder when the service starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const log = join(folder, 'log')
  const child = spawn(PROGRAM, ['-D', '-E', log, '-f', join(folder, 'sshd_config')], {
    stdio: 'ignore',
  })
  const inLog = (pattern: RegExp) => [...readFileSync(log, 'utf8').matchAll(pattern)]
  const ended = once(child, 'exit')
  await listening(port)
  return {
    ...{ port, home, line, user: userInfo().username },
    variables: {
      SSH_TUNNEL: `${userInfo().username}@127.0.0.1:${port}`,
      SSH_KEY: path('id_ed25519'),
      SSH_KNOWN_HOSTS: path('known_hosts'),
      SSH_CONFIG: path('config'),
    },
    logins: () => inLog(/^Accepted publickey /gm).length,
    ways: () => inLog(/direct_tcpip: .* target (.*)$/gm).map(([, it]) => it!),
    clients: () => processes().filter(({ args }) => args.includes(` -p ${port} `)).length,
    cut() {
      for (const pid of below(child.pid!)) end(pid)
    },
    async close() {
      for (const pid of [child.pid!, ...below(child.pid!)]) end(pid)
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The descendants of a process. Each connection has two. */
function below(parent: number): number[] {
  const found = processes().filter(({ ppid }) => ppid === parent)
  return found.flatMap(({ pid }) => [pid, ...below(pid)])
}

function processes() {
  const all = execFileSync('ps', ['-Ao', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return all.split('\n').map((line) => {
    const [, pid, ppid, args = ''] = /^ *(\d+) +(\d+) (.*)/.exec(line) ?? []
    return { pid: Number(pid), ppid: Number(ppid), args }
  })
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

async function listening(port: number): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const socket = createConnection(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The sshd did not start.')
}
