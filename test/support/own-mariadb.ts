import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createDatabase, type Setup, type TestMariaDb } from './mariadb.ts'
import { freePort } from './port.ts'

/** The time that a server may take to stop. */
const ENDS_MS = 2_000

/**
 * Creates a database on a separate MariaDB, which a test may damage.
 *
 * @param options more options for `mariadbd`
 */
export async function startOwnMariaDb(
  setup: Setup,
  options: readonly string[] = [],
): Promise<TestMariaDb & { readonly data: string; revive(): Promise<void> }> {
  const [install, program] = [find('mariadb-install-db'), find('mariadbd')]
  const home = mkdtempSync(join(tmpdir(), 'tidegate-mariadb-'))
  const data = join(home, 'data')
  const as = ['--no-defaults', `--datadir=${data}`, `--user=${userInfo().username}`]
  const plain = ['--auth-root-authentication-method=normal', '--skip-test-db']
  execFileSync(install, [...as, ...plain], { stdio: 'pipe' })

  const port = await freePort()
  const where = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(home, 'socket')}`]
  const args = [...as, ...where, '--skip-name-resolve', ...options]
  const start = () => spawn(program, args, { stdio: 'ignore' })
  let server = start()
  let over = once(server, 'exit')
  const runs = () => server.exitCode === null && server.signalCode === null
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    kill()
    await over
    process.off('exit', kill)
    rmSync(home, { recursive: true, force: true })
  }
  const revive = async () => {
    // A normal shutdown takes a moment.
    await Promise.race([over, setTimeout(ENDS_MS)])
    if (runs()) return
    server = start()
    over = once(server, 'exit')
    await listening(port, runs)
  }
  try {
    await listening(port, runs)
    const database = await createDatabase(port, setup)
    return { ...database, data, drop: stop, revive }
  } catch (error) {
    await stop()
    throw error
  }
}

function find(program: string): string {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin')
    .map((folder) => join(folder, program))
    .find((it) => existsSync(it))
  if (!path) throw new Error(`there is no ${program} (apt-get install mariadb-server)`)
  return path
}

async function listening(port: number, alive: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && alive(); tries++) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await setTimeout(50)
  }
  throw new Error('mariadbd did not start')
}
