import { startHrana } from '../servers/hrana.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { startClickHouse } from './clickhouse.ts'
import { startMariaDb } from './mariadb.ts'
import { onNode } from './node-worker.ts'
import { startPostgres } from './postgres.ts'
import { makeSqliteFile } from './sqlite-file.ts'

/** A way to an engine on this machine, with the name of the database in an endpoint. */
export interface Way {
  readonly name: string
  readonly dialect: 'sqlite' | 'postgres' | 'mysql' | 'clickhouse'
  readonly url: string
}

/** The engines that run here, each with a separate database, and all the ways to them. */
export interface Engines {
  readonly ways: readonly Way[]
  drop(): Promise<void>
}

/** The statements that create a database, in each dialect. */
export interface Setups {
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
  readonly mysql: readonly string[]
  readonly clickhouse: readonly string[]
}

/** Starts the engines in parallel. Engines that are not installed are left out, with a warning. */
export async function startEngines(setups: Setups): Promise<Engines> {
  const [hrana, rqlite, postgres, mariadb, clickhouse, chdb] = await Promise.all([
    startHrana(setups.sqlite),
    startRqlite(setups.sqlite),
    startPostgres(setups.postgres.join(';\n')),
    startMariaDb(setups.mysql.join(';\n')),
    startClickHouse(setups.clickhouse),
    startClickHouse(setups.clickhouse, 'current'),
  ])
  const planetscale = mariadb && (await startPlanetScale(mariadb))
  const ways: Way[] = [
    {
      name: 'libsql',
      dialect: 'sqlite',
      url: `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`,
    },
    {
      name: 'rqlite',
      dialect: 'sqlite',
      url: `rqlite://reader:${TOKEN}@127.0.0.1:${rqlite.port}`,
    },
  ]
  // A Worker has no access to files.
  const file = onNode ? makeSqliteFile(setups.sqlite) : undefined
  if (file) ways.push({ name: 'file', dialect: 'sqlite', url: file.url })
  if (postgres) {
    ways.push(
      { name: 'neon', dialect: 'postgres', url: postgres.url(postgres.reader) },
      { name: 'postgres', dialect: 'postgres', url: postgres.tcp(postgres.reader) },
    )
  }
  if (mariadb && planetscale) {
    ways.push(
      { name: 'mariadb', dialect: 'mysql', url: mariadb.url(mariadb.reader) },
      { name: 'planetscale', dialect: 'mysql', url: planetscale.url(mariadb.reader) },
    )
  }
  if (clickhouse) ways.push({ name: 'clickhouse', dialect: 'clickhouse', url: clickhouse.url() })
  if (chdb) ways.push({ name: 'chdb', dialect: 'clickhouse', url: chdb.url() })
  return {
    ways,
    async drop() {
      hrana.close()
      rqlite.close()
      await file?.close()
      await planetscale?.close()
      await Promise.all([postgres?.drop(), mariadb?.drop(), clickhouse?.stop(), chdb?.stop()])
    },
  }
}

/** The secrets with the URLs of these ways, and the databases of an endpoint that refer to them. */
export function databasesOf(ways: readonly Way[]) {
  const secret = (name: string) => `${name.toUpperCase()}_URL`
  return {
    secrets: Object.fromEntries(ways.map(({ name, url }) => [secret(name), url])),
    databases: Object.fromEntries(
      ways.map(({ name }) => [name, { url: `secret:${secret(name)}` }]),
    ),
  }
}
