import { type Connection, createConnection } from 'mysql2/promise'
import { guarded } from '../../src/database/guard/guarded.ts'
import { mysql as dialect } from '../../src/database/mysql/dialect.ts'
import { planetscale } from '../../src/database/mysql/planetscale/planetscale.ts'
import { mysql } from '../../src/database/mysql/tcp/tcp.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import type { TestMariaDb } from '../support/mariadb.ts'
import { mariaDbScene, setup } from '../support/mariadb-scene.ts'
import { startOwnMariaDb } from '../support/own-mariadb.ts'
import { type Engine, nothing, type Place, startEndpoints, type Unlayered } from './place.ts'

const PASSWORD = 'hunter2-mariadb'
const io = { fetch, bindings: {} }

/** Variables that differ between two sessions or statements with equal settings. */
const moving = [
  ...['TIMESTAMP', 'PSEUDO_THREAD_ID', 'RAND_SEED1', 'RAND_SEED2', 'LAST_INSERT_ID', 'INSERT_ID'],
  ...['IDENTITY', 'WARNING_COUNT', 'ERROR_COUNT', 'IN_TRANSACTION', 'LAST_GTID'],
]

/** Starts a separate MariaDB, over TCP and over our own server for PlanetScale's protocol. */
export async function startMySql(statements: readonly string[]): Promise<Engine> {
  const mariadb = await startOwnMariaDb(setup)
  const users = { 'every right': mariadb.owner, 'SELECT only': mariadb.reader }
  for (const user of Object.values(users)) {
    await mariadb.admin(`set password for ${user}@'%' = password('${PASSWORD}')`)
  }
  const proxy = await startPlanetScale(mariadb)
  const scene = mariaDbScene(mariadb, statements, [
    mariadb.data,
    `${mariadb.data}/${mariadb.database}`,
  ])
  const withPassword = (url: string) => url.replace('@', `:${PASSWORD}@`)
  const urls = Object.fromEntries(
    Object.values(users).flatMap((user, i) => [
      [`tcp-${i}`, withPassword(mariadb.url(user))],
      [`planetscale-${i}`, withPassword(proxy.url(user))],
    ]),
  )
  const worker = await startEndpoints(urls)
  const raws = Object.values(users).map((user) => raw(mariadb, user))
  const places = Object.keys(users).flatMap((role, i): Place[] => {
    const common = {
      role,
      scene,
      guardAlone: guarded({ dialect: dialect(mariadb.database), query: raws[i]!.query }),
      secrets: [PASSWORD],
      settings: `select md5(group_concat(variable_name, '=', variable_value order by variable_name))
        from information_schema.session_variables
        where variable_name not in (${moving.map((it) => `'${it}'`)})`,
    }
    const way = (name: string) => ({ ...common, tools: worker.toolsOf(`${name}-${i}`) })
    const [direct, http] = [urls[`tcp-${i}`]!, urls[`planetscale-${i}`]!]
    return [
      { ...way('tcp'), way: 'TCP', engineAlone: mysql.open(new URL(direct), io) },
      {
        ...way('planetscale'),
        way: 'HTTP (PlanetScale)',
        engineAlone: planetscale.open(new URL(http), io),
      },
    ]
  })
  return {
    title: `MariaDB ${mariadb.version.replace(/-.*/, '')}`,
    places,
    async close() {
      await worker.close()
      for (const it of raws) await it.end()
      await proxy.close()
      await mariadb.drop()
    },
  }
}

/** A client that keeps its session, and runs every statement in a text. */
function raw(mariadb: TestMariaDb, user: string): Unlayered & { end(): Promise<void> } {
  const { host, port, database } = mariadb
  let connection: Connection | undefined
  const end = async () => {
    const old = connection
    connection = undefined
    old?.destroy()
  }
  return {
    end,
    async query({ sql }) {
      if (!connection) {
        const account = { user, password: PASSWORD, multipleStatements: true }
        connection = await createConnection({ host, port, database, ...account })
        connection.on('error', () => void end())
        await connection.query('set session max_statement_time = 1')
      }
      // If the server stopped, the session has ended, too.
      await connection.query({ sql, typeCast: dropped }).catch(async (error) => {
        if (error.fatal) await end()
        throw error
      })
      return nothing
    },
  }
}

/** Drops a value, because nothing reads it, and a value over 512 MB does not fit in a string. */
const dropped = (field: { buffer(): Buffer | null }) => void field.buffer()
