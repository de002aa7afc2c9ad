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

/** The SSH server of OpenSSH on a port of this machine, for one user: who runs the test. */
export interface Sshd {
  readonly port: number
  readonly user: string
  /** A home with the key that may log in, unencrypted, and the known host. */
  readonly home: string
  /** Ends it, with all its connections. */
  close(): Promise<void>
}

/** Starts it; without OpenSSH it says why, and returns nothing. With REQUIRE_ALL=1 it throws. */
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
  writeFileSync(join(home, '.ssh', 'known_hosts'), `[127.0.0.1]:${port} ${hostKey}`)
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
      'MaxStartups 200',
    ].join('\n'),
  )
  // Where it separates privileges: Debian makes this folder when the service starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const child = spawn(PROGRAM, ['-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await listening(port)
  return {
    ...{ port, home, user: userInfo().username },
    async close() {
      for (const pid of [child.pid!, ...below(child.pid!)]) end(pid)
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The processes below one: each connection has two of its own. */
function below(parent: number): number[] {
  const all = execFileSync('ps', ['-Ao', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = all.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const found = rows.filter(([, it]) => it === parent).map(([pid]) => pid!)
  return [...found, ...found.flatMap(below)]
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
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
