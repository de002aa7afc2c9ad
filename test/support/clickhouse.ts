import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { freePort } from './port.ts'

/** A ClickHouse server of its own, with a database `shop` on it. */
export interface TestClickHouse {
  /** The directory from which its `file()` would read. */
  readonly files: string
  /** The URL for the driver, as the user who may do everything or as another. */
  url(user?: string, database?: string): string
  /** Runs a statement as the user who may do everything, past driver and guard. */
  admin(sql: string): Promise<string>
  stop(): Promise<void>
}

/** What the password of the user `reader` holds, so that it would be found wherever it got out. */
export const PASSWORD = 'hunter2-marker-ü:@/'

/**
 * Starts the ClickHouse of this machine on a free port, on data of its own, and makes a database by
 * these statements. Without one it says why, and returns nothing; with REQUIRE_ALL=1 it throws.
 */
export async function startClickHouse(
  setup: Iterable<string>,
): Promise<TestClickHouse | undefined> {
  let server: TestClickHouse | undefined
  try {
    server = await start()
    await server.admin('create database if not exists shop')
    for (const statement of setup) await server.admin(statement)
    return server
  } catch (error) {
    await server?.stop()
    if (process.env.REQUIRE_ALL === '1' || server) throw error
    console.warn(`Skipped for want of a ClickHouse: ${(error as Error).message}`)
    return undefined
  }
}

/** Runs tests on a ClickHouse of their own, or skips them where there is none. */
export async function describeClickHouse(
  title: string,
  setup: Iterable<string>,
  tests: (server: TestClickHouse) => void,
): Promise<void> {
  const server = await startClickHouse(setup)
  if (!server) {
    describe.skip(title, () => test('waits for a ClickHouse', () => {}))
    return
  }
  describe(title, () => {
    afterAll(() => server.stop())
    tests(server)
  })
}

async function start(): Promise<TestClickHouse> {
  const program = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin')
    .map((folder) => join(folder, 'clickhouse-server'))
    .find((path) => existsSync(path))
  if (!program) throw new Error('there is no clickhouse-server (apt-get install clickhouse-server)')

  const home = mkdtempSync(join(tmpdir(), 'tidegate-clickhouse-'))
  const [port, tcp] = [await freePort(), await freePort()]
  for (const folder of ['data', 'tmp', 'files', 'schemas']) mkdirSync(join(home, folder))
  writeFileSync(join(home, 'config.xml'), config(home, port, tcp))
  writeFileSync(join(home, 'users.xml'), USERS)
  const child = spawn(program, [`--config-file=${join(home, 'config.xml')}`], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    const over = child.exitCode === null ? once(child, 'exit') : undefined
    // Its orderly end waits for connections that are kept alive.
    kill()
    await over
    process.off('exit', kill)
    rmSync(home, { recursive: true, force: true })
  }

  const endpoint = `127.0.0.1:${port}`
  const admin = async (sql: string) => {
    const response = await fetch(`http://${endpoint}/?database=shop`, { method: 'POST', body: sql })
    const text = await response.text()
    if (!response.ok) throw new Error(`${text}\n${sql.slice(0, 200)}`)
    return text.trimEnd()
  }
  try {
    await listening(child, `http://${endpoint}/`)
    await fetch(`http://${endpoint}/`, { method: 'POST', body: 'create database shop' })
  } catch (error) {
    await stop()
    throw error
  }
  const passwords: Readonly<Record<string, string>> = { reader: `:${encodeURIComponent(PASSWORD)}` }
  return {
    files: join(home, 'files'),
    admin,
    url: (user = 'default', database = 'shop') =>
      `clickhouse://${user}${passwords[user] ?? ''}@${endpoint}/${database}`,
    stop,
  }
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

/** `fixed` and `extreme` may set nothing, `halfway` anything but `readonly`, `slow` is to be fast, `narrow` sees one database. */
const USERS = `<?xml version="1.0"?>
<yandex>
  <profiles>
    <default>
      <max_memory_usage>1000000000</max_memory_usage>
      <max_threads>2</max_threads>
      <allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type>
    </default>
    <fixed><readonly>1</readonly></fixed>
    <extreme><readonly>1</readonly><extremes>1</extremes></extreme>
    <slow>
      <min_execution_speed>100000000000000</min_execution_speed>
      <timeout_before_checking_execution_speed>0</timeout_before_checking_execution_speed>
    </slow>
    <halfway><readonly>2</readonly></halfway>
  </profiles>
  <quotas><default></default></quotas>
  <users>
    ${user('default', 'default')}
    ${user('reader', 'default', PASSWORD)}
    ${user('fixed', 'fixed')}
    ${user('extreme', 'extreme')}
    ${user('slow', 'slow')}
    ${user('halfway', 'halfway')}
    ${user('narrow', 'default', '', '<allow_databases><database>shop</database></allow_databases>')}
  </users>
</yandex>`

function user(name: string, profile: string, password = '', more = ''): string {
  return `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks>
    <profile>${profile}</profile><quota>default</quota>${more}</${name}>`
}
