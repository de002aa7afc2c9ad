import { clickhouse as dialect } from '../../src/database/clickhouse/dialect.ts'
import { clickhouse } from '../../src/database/clickhouse/driver.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { PASSWORD, startClickHouse as start } from '../support/clickhouse.ts'
import { clickhouseScene, setup } from '../support/clickhouse-scene.ts'
import { type Engine, nothing, type Place, startEndpoints } from './place.ts'

const io = { fetch, bindings: {} }

/** Starts a separate ClickHouse. One of its users has a read-only profile. */
export async function startClickHouse(
  statements: readonly string[],
  kind: 'debian' | 'current',
): Promise<Engine> {
  const server = await start(setup, kind)
  if (!server) throw new Error('there is no ClickHouse')
  const version = await server.admin('select version()')
  const users = { 'every right': 'reader', 'profile readonly=1': 'fixed' }
  const scene = clickhouseScene(server, statements)
  const urls = Object.values(users).map((user) => server.url(user))
  const worker = await startEndpoints(Object.fromEntries(urls.map((url, i) => [`http-${i}`, url])))
  const places = Object.keys(users).map(
    (role, i): Place => ({
      way: 'HTTP',
      role,
      scene,
      tools: worker.toolsOf(`http-${i}`),
      engineAlone: clickhouse.open(new URL(urls[i]!), io),
      guardAlone: guarded({ dialect, query: ({ sql }) => raw(urls[i]!, sql) }),
      secrets: [PASSWORD, encodeURIComponent(PASSWORD)],
      settings: `select toString(cityHash64(groupArray(concat(name, '=', value))))
      from (select name, value from system.settings where name <> 'log_comment' order by name)`,
    }),
  )
  return {
    title: `ClickHouse ${version.split('.').slice(0, 2).join('.')}`,
    places,
    async close() {
      await worker.close()
      await server.stop()
    },
  }
}

/** Sends only the text in a POST, and reads the response for at most one second. */
async function raw(url: string, sql: string) {
  const { username, password, host, pathname } = new URL(url)
  const key = Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')
  const response = await fetch(`http://${host}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { authorization: `Basic ${key}` },
    body: sql,
    signal: AbortSignal.timeout(1_000),
  })
  for await (const _ of response.body ?? []) if (!response.ok) break
  if (!response.ok) throw new Error('ClickHouse refuses.')
  return nothing
}
