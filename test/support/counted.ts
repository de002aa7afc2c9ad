import tls from 'node:tls'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { startCounting } from '../servers/counting.ts'
import { countingFetch } from '../servers/counting-fetch.ts'
import { startD1 } from '../servers/d1.ts'
import { startHrana } from '../servers/hrana.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { makeCertificate } from './certificate.ts'
import { startClickHouse } from './clickhouse.ts'
import type { Approach, Counted } from './count-calls.ts'
import { SETUP } from './count-calls.ts'
import { testMachine } from './machine.ts'
import { startMariaDb, type TestMariaDb } from './mariadb.ts'
import { startPostgres, startTlsPostgres, type TestPostgres } from './postgres.ts'

/** Counted databases by name, with a function that stops them. */
export interface Counteds {
  readonly all: Readonly<Record<string, Counted>>
  end(): Promise<unknown>
}

/**
 * Starts the databases of each engine, one after the other, because some keep this process busy. Skips those that
 * this machine does not have.
 */
export async function startCounted(): Promise<Counteds> {
  const started: Counteds[] = []
  for (const start of starts) {
    const it = await start()
    if (it) started.push(it)
  }
  return {
    all: Object.assign({}, ...started.map(({ all }) => all)),
    end: () => Promise.all(started.map((it) => it.end())),
  }
}

const starts: readonly (() => Promise<Counteds | undefined>)[] = [
  async () => {
    const postgres = await startPostgres(SETUP)
    if (!postgres) return undefined
    const { reader, supabase } = postgres
    const { host, pathname } = new URL(postgres.url())
    const direct = byTcp(postgres.config.port!, (port) => postgres.tcp(reader, port))
    const all: Record<string, Counted> = {
      'PostgreSQL over TCP': { ...direct, logIn: postgresLogin(postgres) },
      'PostgreSQL through Hyperdrive': {
        ...bound(direct),
        logIn: postgresLogin(postgres),
      },
      'PostgreSQL over TCP, on a machine': {
        ...kept(direct),
        logIn: postgresLogin(postgres),
      },
      Neon: byFetch((here) => `neon://${reader}@${here}${pathname}`, fetchAt(host)),
      Supabase: byFetch(() => supabase.url(reader), supabase.io.fetch),
    }
    return { all, end: () => postgres.drop() }
  },
  async () => {
    const certificate = makeCertificate()
    if (!certificate) return undefined
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert])
    const postgres = await startTlsPostgres(SETUP, certificate)
    if (!postgres) return undefined
    const direct = byTcp(postgres.config.port!, (port) => postgres.tcp(postgres.reader, port))
    const logIn = async (port: number) => {
      const client = new pg.Client({ connectionString: postgres.tcp(postgres.reader, port) })
      await client.connect()
      return () => client.end()
    }
    return {
      all: { 'PostgreSQL over TLS': { ...direct, logIn } },
      end: () => postgres.drop(),
    }
  },
  async () => {
    const mariadb = await startMariaDb(SETUP)
    if (!mariadb) return undefined
    const { reader, port } = mariadb
    const planetscale = await startPlanetScale(mariadb)
    const { host, pathname } = new URL(planetscale.url(reader))
    const url = (port: number) => mariadb.url(reader).replace(/:\d+\//, `:${port}/`)
    const all: Record<string, Counted> = {
      'MariaDB over TCP': { ...byTcp(port, url), logIn: mariadbLogin(mariadb) },
      PlanetScale: byFetch((here) => `planetscale://${reader}@${here}${pathname}`, fetchAt(host)),
    }
    return { all, end: () => Promise.all([planetscale.close(), mariadb.drop()]) }
  },
  async () => {
    const [libsql, rqlite, d1] = await Promise.all(
      [startHrana, startRqlite, startD1].map((it) => it([SETUP])),
    )
    const toD1: typeof fetch = (url, init) =>
      fetch(
        String(url)
          .replace('https://api.cloudflare.com', `http://127.0.0.1:${d1!.port}`)
          .replace(/an-account-\d+/, 'an-account'),
        init,
      )
    const all: Record<string, Counted> = {
      libSQL: byFetch(
        (here) => `libsql://${here}?authToken=${TOKEN}`,
        fetchAt(`127.0.0.1:${libsql!.port}`),
      ),
      rqlite: byFetch(
        (here) => `rqlite://reader:${TOKEN}@${here}`,
        fetchAt(`127.0.0.1:${rqlite!.port}`),
      ),
      D1: byFetch((_, port) => `d1://:${TOKEN}@an-account-${port}/a-database`, toD1),
    }
    return { all, end: async () => [libsql, rqlite, d1].map((it) => it!.close()) }
  },
  async () => {
    const clickhouse = await startClickHouse([
      'create table orders (id Int32, customer String, paid Int32) engine = MergeTree order by id',
      "insert into orders values (1, 'ada', 10), (2, 'bob', 20)",
    ])
    if (!clickhouse) return undefined
    const { host } = new URL(clickhouse.url('reader').replace('clickhouse:', 'http:'))
    const url = (here: string) => clickhouse.url('reader').replace(host, here)
    // The version of Debian, from 2018, has no EXPLAIN.
    const ClickHouse = { ...byFetch(url, fetchAt(host)), lacks: 'explain_query' }
    return { all: { ClickHouse }, end: () => clickhouse.stop() }
  },
]

/** A database over TCP, at a port of this machine. */
const byTcp = (port: number, url: (port: number) => string): Counted => ({
  trip: 'connection',
  async approach() {
    const server = await startCounting(port)
    return {
      url: url(server.port),
      port: server.port,
      io: {},
      get counts() {
        return server.counts
      },
      get open() {
        return server.open
      },
      close: () => server.close(),
    }
  },
})

/** The same database through a Hyperdrive binding, which has the URL of the next hop. */
const bound = ({ trip, approach }: Counted): Counted => ({
  trip,
  async approach() {
    const way = await approach()
    const { hostname: host, port, username: user, pathname } = new URL(way.url)
    // A real Hyperdrive always has a password.
    const known = { host, port: Number(port), user, password: 'x', database: pathname.slice(1) }
    const SHOP = { connectionString: way.url, ...known }
    return Object.defineProperties(way, {
      url: { value: 'hyperdrive:SHOP' },
      io: { value: { bindings: { SHOP } } },
    })
  },
})

/** The same database from a machine, which keeps its connections. */
const kept = ({ trip, approach }: Counted): Counted => ({
  trip,
  async approach() {
    const way = await approach()
    const machine = testMachine()
    const end = way.close
    const close = async () => {
      await machine.close()
      await end()
    }
    return Object.defineProperties(way, {
      io: { value: { machine } },
      keeps: { value: true },
      close: { value: close },
    })
  },
})

let approaches = 0

/** A database over HTTP. Each way to it has its own address, because some caches use the address as a key. */
const byFetch = (url: (host: string, port: number) => string, send: typeof fetch): Counted => ({
  trip: 'request',
  async approach() {
    const port = ++approaches
    const counting = countingFetch(send)
    return {
      url: url(`127.0.0.1:${port}`, port),
      port,
      io: { fetch: counting.fetch },
      get counts() {
        return counting.counts
      },
      get open() {
        return counting.open
      },
      close: async () => {},
    } satisfies Approach
  },
})

/** Sends requests for any port of this machine to this host. */
const fetchAt =
  (host: string): typeof fetch =>
  (url, init) =>
    fetch(String(url).replace(/127\.0\.0\.1(?::\d+)?/, host), init)

/** Logs in to PostgreSQL as the read-only role. */
const postgresLogin =
  ({ config, reader: user }: TestPostgres) =>
  async (port: number) => {
    const client = new pg.Client({ ...config, user, port })
    await client.connect()
    return () => client.end()
  }

/** Logs in to MariaDB as the read-only user. */
const mariadbLogin =
  ({ host, database, reader: user }: TestMariaDb) =>
  async (port: number) => {
    const client = await createConnection({ host, port, user, database })
    return () => client.end()
  }
