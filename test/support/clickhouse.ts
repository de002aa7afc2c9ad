import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { freePort } from './port.ts'

/** A separate ClickHouse server with a database `shop`. */
export interface TestClickHouse {
  /** Its version, such as `26.7.2.1`. */
  readonly version: string
  /** True for a current version, false for the version of Debian. */
  readonly isCurrent: boolean
  /** The directory that its `file()` function reads from. */
  readonly files: string
  /** The URL for the driver, for the user with all rights or for another user. */
  url(user?: string, database?: string): string
  /** Runs a statement as the user with all rights, without driver and guard. */
  admin(sql: string): Promise<string>
  stop(): Promise<void>
}

/** The password of the user `reader`, which is easy to find if it leaks. */
export const PASSWORD = 'hunter2-marker-ü:@/'

/** The two servers: the one of Debian, from 2018, and a current one, from the npm package `chdb`. */
const kinds = { debian: startDebian, current: startChdb }
type Kind = keyof typeof kinds

/**
 * Starts a ClickHouse with separate data on a free port, and creates a database with these statements.
 * If that is not possible, it logs the reason and returns undefined, or throws if REQUIRE_ALL=1.
 */
export async function startClickHouse(
  setup: Iterable<string>,
  kind: Kind = 'debian',
): Promise<TestClickHouse | undefined> {
  let server: TestClickHouse | undefined
  try {
    server = await started(kinds[kind])
    for (const statement of setup) await server.admin(statement)
    return server
  } catch (error) {
    await server?.stop()
    if (process.env.REQUIRE_ALL === '1' || server) throw error
    console.warn(`Skipped for want of a ClickHouse: ${(error as Error).message}`)
    return undefined
  }
}

/** Runs tests on two separate ClickHouse servers, an old and a current one. Skips them if there is no server. */
export async function describeClickHouse(
  title: string,
  setup: Iterable<string>,
  tests: (server: TestClickHouse) => void,
  on: readonly Kind[] = ['debian', 'current'],
): Promise<void> {
  const statements = [...setup]
  for (const kind of on) {
    const server = await startClickHouse(statements, kind)
    const full = on.length > 1 && kind === 'current' ? `${title}, in a current version` : title
    if (!server) {
      describe.skip(full, () => test('needs a ClickHouse', () => {}))
      continue
    }
    describe(full, () => {
      afterAll(() => server.stop())
      tests(server)
    })
  }
}

/** A process, and the port that it listens on. */
interface Process {
  readonly child: ChildProcess
  readonly port: number
  readonly files: string
  /** Waits until it answers. */
  ready(): Promise<void>
}

async function started(kind: (home: string) => Promise<Process>): Promise<TestClickHouse> {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-clickhouse-'))
  let running: Process | undefined
  // A normal shutdown would wait for keep-alive connections.
  const kill = () => running?.child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    const over =
      running && running.child.exitCode === null ? once(running.child, 'exit') : undefined
    kill()
    await over
    process.off('exit', kill)
    rmSync(home, { recursive: true, force: true })
  }
  try {
    running = await kind(home)
    await running.ready()
    const endpoint = `127.0.0.1:${running.port}`
    const ask = async (sql: string, database: string) => {
      const url = `http://${endpoint}/?database=${database}`
      const response = await fetch(url, { method: 'POST', body: sql })
      const text = await response.text()
      if (!response.ok) throw new Error(`${text}\n${sql.slice(0, 200)}`)
      return text.trimEnd()
    }
    await ask('create database shop', 'default')
    const version = await ask('select version()', 'default')
    return {
      version,
      isCurrent: kind === startChdb,
      files: running.files,
      admin: (sql) => ask(sql, 'shop'),
      url: (user = 'default', database = 'shop') =>
        `clickhouse://${user}${user === 'reader' ? `:${encodeURIComponent(PASSWORD)}` : ''}@${endpoint}/${database}`,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startDebian(home: string): Promise<Process> {
  const program = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin')
    .map((folder) => join(folder, 'clickhouse-server'))
    .find((path) => existsSync(path))
  if (!program) throw new Error('there is no clickhouse-server (apt-get install clickhouse-server)')

  const [port, tcp] = [await freePort(), await freePort()]
  for (const folder of ['data', 'tmp', 'files', 'schemas']) mkdirSync(join(home, folder))
  writeFileSync(join(home, 'config.xml'), config(home, port, tcp))
  writeFileSync(join(home, 'users.xml'), USERS)
  const child = spawn(program, [`--config-file=${join(home, 'config.xml')}`], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ready = () => listening(child, `http://127.0.0.1:${port}/`)
  return { child, port, files: join(home, 'files'), ready }
}

const programs = join(import.meta.dirname, '../database/clickhouse/programs')

async function startChdb(home: string): Promise<Process> {
  if (!existsSync(join(programs, 'node_modules/chdb'))) {
    throw new Error(
      'there is no chdb (npm install --no-save --prefix test/database/clickhouse/programs)',
    )
  }
  const files = join(home, 'files')
  mkdirSync(files)
  const front = resolve(import.meta.dirname, '../servers/chdb.ts')
  const child = spawn(
    process.execPath,
    [front, join(home, 'data'), JSON.stringify(usersOfChdb())],
    {
      cwd: files,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.on('data', (text) => {
      said = (said + text).slice(-2_000)
    })
  }
  while (!/^\d+\n/.test(said)) {
    const over = once(child, 'exit').then(() => true)
    if (await Promise.race([once(child.stdout, 'data').then(() => false), over])) {
      throw new Error(`chdb did not start: ${said}`)
    }
  }
  return { child, port: Number.parseInt(said, 10), files, ready: async () => {} }
}

async function listening(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  child.stdout!.on('data', (text) => {
    said = (said + text).slice(-2_000)
  })
  child.stderr!.on('data', (text) => {
    said = (said + text).slice(-2_000)
  })
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break
    const response = await fetch(url).catch(() => undefined)
    if ((await response?.text())?.startsWith('Ok.')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`clickhouse-server did not start: ${said}`)
}

const config = (home: string, port: number, tcp: number) => `<?xml version="1.0"?>
<yandex>
  <logger><level>error</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <tcp_port>${tcp}</tcp_port>
  <path>${home}/data/</path>
  <tmp_path>${home}/tmp/</tmp_path>
  <user_files_path>${home}/files/</user_files_path>
  <format_schema_path>${home}/schemas/</format_schema_path>
  <users_config>${home}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
  <mark_cache_size>5368709120</mark_cache_size>
</yandex>`

/** The settings of each profile. */
const profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: { max_memory_usage: '1000000000', max_threads: '2' },
  fixed: { readonly: '1' },
  extreme: { readonly: '1', extremes: '1' },
  slow: {
    min_execution_speed: '100000000000000',
    timeout_before_checking_execution_speed: '0',
  },
  halfway: { readonly: '2' },
}

/** Settings that current versions no longer have. */
const OLD = { allow_experimental_low_cardinality_type: '1' }

/**
 * `fixed` and `extreme` cannot set anything, `halfway` anything but `readonly`, `slow` must be fast, and `narrow`
 * sees one database.
 */
const users: Readonly<Record<string, { profile: string; password?: string; more?: string }>> = {
  default: { profile: 'default' },
  reader: { profile: 'default', password: PASSWORD },
  fixed: { profile: 'fixed' },
  extreme: { profile: 'extreme' },
  slow: { profile: 'slow' },
  halfway: { profile: 'halfway' },
  narrow: {
    profile: 'default',
    more: '<allow_databases><database>shop</database></allow_databases>',
  },
}

const usersOfChdb = () =>
  Object.fromEntries(
    Object.entries(users).map(([name, { profile, password = '' }]) => [
      name,
      { password, settings: { ...profiles.default, ...profiles[profile] } },
    ]),
  )

const USERS = `<?xml version="1.0"?>
<yandex>
  <profiles>${elements({ ...profiles, default: { ...profiles.default, ...OLD } }, (settings) =>
    elements(settings, (value) => value),
  )}</profiles>
  <quotas><default></default></quotas>
  <users>${elements(
    users,
    ({ profile, password = '', more = '' }) =>
      `<password>${password}</password><networks><ip>127.0.0.1</ip></networks>
      <profile>${profile}</profile><quota>default</quota>${more}`,
  )}</users>
</yandex>`

function elements<T>(of: Readonly<Record<string, T>>, inside: (value: T) => string): string {
  return Object.entries(of)
    .map(([name, value]) => `<${name}>${inside(value)}</${name}>`)
    .join('\n    ')
}
