import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe, test } from 'vitest'
import { type NeonServer, startNeon } from '../servers/neon.ts'
import { type SupabaseServer, startSupabase } from '../servers/supabase.ts'
import type { CertificateFiles } from './certificate.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

/** A separate database on a real PostgreSQL, and servers for it over HTTP. */
export interface TestPostgres {
  /** The `pg` settings for the superuser, who owns everything in it. */
  readonly config: pg.ClientConfig & { readonly database: string }
  /** A role that can only select from the tables in `public`. */
  readonly reader: string
  readonly neon: NeonServer
  readonly supabase: SupabaseServer
  /** The URL for the driver over HTTP, for `postgres` or for another user. */
  url(user?: string): string
  /** The same over TCP. `at` is another port of this machine. */
  tcp(user?: string, at?: number): string
  /** Runs statements as the superuser, without any guard. */
  admin(sql: string, params?: unknown[]): Promise<pg.QueryResult>
  drop(): Promise<void>
}

/** Statements that create a database, with access to the name of the read-only role. */
type Setup = string | ((reader: string) => string)

/**
 * Creates a database on the PostgreSQL of this machine, or on an embedded one that it starts. With `own`, it
 * always starts one. If neither is available, it logs the reason and returns undefined, or throws if
 * REQUIRE_ALL=1.
 */
export async function startPostgres(setup: Setup, own = false): Promise<TestPostgres | undefined> {
  try {
    const local = own ? undefined : await localServer()
    return await createDatabase(local ?? (await startServer()), setup)
  } catch (error) {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of a PostgreSQL: ${(error as Error).message}`)
    return undefined
  }
}

/** Creates a database on a separate embedded server, which a test may damage. */
export const startOwnPostgres = async (setup: Setup): Promise<TestPostgres> =>
  await createDatabase(await startServer(), setup)

/** The password of the reader on a server with TLS. */
const PASSWORD = 'hunter2-marker'

/**
 * Creates a database on an embedded server at `localhost` that requires TLS and SCRAM from the reader. If it is
 * not available, it logs the reason and returns undefined, or throws if REQUIRE_ALL=1.
 */
export async function startTlsPostgres(
  setup: Setup,
  certificate: CertificateFiles,
): Promise<TestPostgres | undefined> {
  try {
    const postgres = await createDatabase(await startServer(certificate), setup)
    const { reader } = postgres
    await postgres.admin(`alter role ${reader} password '${PASSWORD}'`)
    const tcp = (user = reader, at?: number) =>
      `${postgres.tcp(`${user}:${PASSWORD}`, at).replace('127.0.0.1', 'localhost')}?sslmode=verify-full`
    return { ...postgres, tcp }
  } catch (error) {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of a PostgreSQL that encrypts: ${(error as Error).message}`)
    return undefined
  }
}

/** Runs tests on a separate database, or skips them if there is no PostgreSQL. */
export async function describePostgres(
  title: string,
  setup: Setup,
  tests: (postgres: TestPostgres) => void,
  own = false,
): Promise<void> {
  const postgres = await startPostgres(setup, own)
  if (!postgres) {
    describe.skip(title, () => test('needs a PostgreSQL', () => {}))
    return
  }
  describe(title, () => {
    afterAll(() => postgres.drop())
    tests(postgres)
  })
}

interface Server {
  readonly config: pg.ClientConfig
  stop(): Promise<void>
}

/** The server at 127.0.0.1:5432 or PGPORT, if `postgres` can log in without a password. */
async function localServer(): Promise<Server | undefined> {
  const port = Number(process.env.PGPORT ?? 5432)
  const config = { host: '127.0.0.1', port, user: 'postgres' }
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ rolsuper: boolean }>(
      'select rolsuper from pg_roles where rolname = current_user',
    )
    return rows[0]?.rolsuper ? { config, stop: async () => {} } : undefined
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}

/** Requires TLS and SCRAM from everyone except the superuser. */
const HBA = `host all postgres 127.0.0.1/32 trust
hostssl all all 127.0.0.1/32 scram-sha-256
`

async function startServer(certificate?: CertificateFiles): Promise<Server> {
  const { port, stop } = await (certificate
    ? startEmbeddedPostgres(
        { 'server.key': certificate.key, 'server.crt': certificate.cert, 'pg_hba.conf': HBA },
        ['ssl=on'],
      )
    : startEmbeddedPostgres())
  return { config: { host: '127.0.0.1', port, user: 'postgres' }, stop }
}

async function createDatabase(server: Server, setup: Setup): Promise<TestPostgres> {
  const database = `tidegate_${randomBytes(6).toString('hex')}`
  const reader = `${database}_reader`
  const run = async (config: pg.ClientConfig, sql: string, params?: unknown[]) => {
    const client = new pg.Client(config)
    await client.connect()
    return await client.query(sql, params).finally(() => client.end())
  }
  const config = { ...server.config, database }
  const postgres = { ...server.config, database: 'postgres' }
  await run(postgres, `create database ${database}`)
  await run(postgres, `create role ${reader} login`)
  await run(config, `alter default privileges in schema public grant select on tables to ${reader}`)
  await run(config, typeof setup === 'string' ? setup : setup(reader))
  const neon = await startNeon(server.config)
  const supabase = await startSupabase(config)
  return {
    config,
    reader,
    neon,
    supabase,
    url: (user = 'postgres') => neon.url(user, database),
    tcp: (user = 'postgres', at = server.config.port) =>
      `postgres://${user}@127.0.0.1:${at}/${database}`,
    admin: (sql, params) => run(config, sql, params),
    async drop() {
      await Promise.all([neon.close(), supabase.close()])
      await run(postgres, `drop database ${database} with (force)`)
      await run(postgres, `drop role ${reader}`)
      await server.stop()
    },
  }
}
