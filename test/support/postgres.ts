import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe, test } from 'vitest'
import { type NeonServer, startNeon } from '../servers/neon.ts'
import { type SupabaseServer, startSupabase } from '../servers/supabase.ts'
import type { CertificateFiles } from './certificate.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

/** A database of its own on a real PostgreSQL, and the server that reaches it over HTTP. */
export interface TestPostgres {
  /** How `pg` reaches it as the superuser who owns everything in it. */
  readonly config: pg.ClientConfig & { readonly database: string }
  /** A role that may select from the tables in `public`, and no more. */
  readonly reader: string
  readonly neon: NeonServer
  readonly supabase: SupabaseServer
  /** The URL for the driver over HTTP, as `postgres` or as somebody else. */
  url(user?: string): string
  /** The URL for the driver over TCP, likewise; `at` is another port of this machine. */
  tcp(user?: string, at?: number): string
  /** Runs statements as the superuser, past every guard. */
  admin(sql: string, params?: unknown[]): Promise<pg.QueryResult>
  drop(): Promise<void>
}

/** Statements that make a database, given the role that will only read. */
type Setup = string | ((reader: string) => string)

/**
 * Makes a database on the PostgreSQL of this machine, or on an embedded one that it starts: that in any
 * case, if nobody else may use it. Without either it says why, and returns nothing; with REQUIRE_ALL=1
 * it throws instead.
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

/** Makes a database on an embedded server that nobody else uses, whatever is done to it. */
export const startOwnPostgres = async (setup: Setup): Promise<TestPostgres> =>
  await createDatabase(await startServer(), setup)

/** The password of the reader on a server that encrypts. */
const PASSWORD = 'hunter2-marker'

/**
 * Makes a database on an embedded server that lets the reader in by TLS and SCRAM alone, as `localhost`.
 * Without one it says why, and returns nothing; with REQUIRE_ALL=1 it throws instead.
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

/** Runs tests on a database of their own, or skips them where there is no PostgreSQL. */
export async function describePostgres(
  title: string,
  setup: Setup,
  tests: (postgres: TestPostgres) => void,
  own = false,
): Promise<void> {
  const postgres = await startPostgres(setup, own)
  if (!postgres) {
    describe.skip(title, () => test('waits for a PostgreSQL', () => {}))
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

/** The one at 127.0.0.1:5432, or at PGPORT, if it lets `postgres` in without a password. */
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

/** Lets all but the superuser in by TLS and SCRAM alone. */
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
