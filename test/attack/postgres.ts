import { guarded } from '../../src/database/guard/guarded.ts'
import { postgres as dialect } from '../../src/database/postgres/dialect.ts'
import { neon } from '../../src/database/postgres/neon/neon.ts'
import { postgres as tcp } from '../../src/database/postgres/tcp/tcp.ts'
import { startOwnPostgres } from '../support/postgres.ts'
import { postgresScene, setup } from '../support/postgres-scene.ts'
import { type Engine, type Place, startEndpoints } from './place.ts'
import { rawPostgres } from './raw-postgres.ts'

const PASSWORD = 'hunter2-postgres'
const io = { fetch, bindings: {} }

/** Starts a separate PostgreSQL, over TCP and over our own server for Neon's protocol. */
export async function startPostgres(statements: readonly string[]): Promise<Engine> {
  const postgres = await startOwnPostgres(setup)
  const [{ server_version: version, data_directory: data }] = await Promise.all([
    postgres.admin(`select current_setting('server_version') as server_version,
      current_setting('data_directory') as data_directory`),
  ]).then(([{ rows }]) => rows)
  const scene = await postgresScene(postgres, statements, [data])
  const users = { superuser: 'postgres', 'SELECT only': postgres.reader }
  // It accepts any password, so this one is only there to detect a leak.
  const withPassword = (url: string) => url.replace('@', `:${PASSWORD}@`)
  const urls = Object.fromEntries(
    Object.values(users).flatMap((user, i) => [
      [`tcp-${i}`, withPassword(postgres.tcp(user))],
      [`neon-${i}`, withPassword(postgres.url(user))],
    ]),
  )
  const worker = await startEndpoints(urls)
  const raws = Object.values(users).map((user) => rawPostgres({ ...postgres.config, user }))
  const places = Object.keys(users).flatMap((role, i): Place[] => {
    const common = {
      role,
      scene,
      guardAlone: guarded({ dialect, query: raws[i]!.query }),
      secrets: [PASSWORD],
      settings:
        "select md5(string_agg(name || '=' || setting, ',' order by name)) from pg_settings",
    }
    const way = (name: string) => ({ ...common, tools: worker.toolsOf(`${name}-${i}`) })
    return [
      { ...way('tcp'), way: 'TCP', engineAlone: tcp.open(new URL(urls[`tcp-${i}`]!), io) },
      {
        ...way('neon'),
        way: 'HTTP (Neon)',
        engineAlone: neon.open(new URL(urls[`neon-${i}`]!), io),
      },
    ]
  })
  return {
    title: `PostgreSQL ${version}`,
    places,
    async close() {
      await worker.close()
      for (const it of raws) await it.end()
      await scene.end()
      await postgres.drop()
    },
  }
}
