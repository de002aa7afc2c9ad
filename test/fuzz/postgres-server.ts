import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A real server as the judge of the texts that it runs. */
export interface PostgresServer {
  readonly version: string
  /** Runs a text. Returns the reason if it was more than one statement that only reads. */
  run(text: string): Promise<string | undefined>
  close(): Promise<void>
}

const COMMANDS = ['SELECT', 'SHOW', 'EXPLAIN']

/** A function that accepts any value and is refused by name. It throws when it is called. */
export const MARKER = 'pg_marker'

/**
 * Creates a database on the PostgreSQL at 127.0.0.1, and a role that can only select. Texts use the
 * extended protocol, as in the drivers, and all transactions are read-only: the server refuses to parse
 * two statements, and a statement that writes or locks causes a specific error.
 */
export async function openPostgresServer(): Promise<PostgresServer> {
  const name = `tidegate_fuzz_${randomBytes(6).toString('hex')}`
  const config = { host: '127.0.0.1', port: Number(process.env.PGPORT ?? 5432), user: 'postgres' }
  const admin = async (database: string, sql: string[]) => {
    const client = new pg.Client({ ...config, database, connectionTimeoutMillis: 2_000 })
    await client.connect()
    try {
      for (const statement of sql) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await admin('postgres', [`create database ${name}`, `create role ${name} login`])
  await admin(name, [
    'create table users (id integer, email text)',
    'create table orders (id integer, user_id integer, total numeric)',
    'create sequence s',
    ...['text', 'anyelement'].map(
      (type) => `create function ${MARKER}(${type}) returns text language plpgsql as
        $$ begin raise exception '${MARKER} was called'; end $$`,
    ),
    `insert into users values (1, 'a@example.com'); insert into orders values (1, 1, 2.5)`,
    `grant select on users, orders to ${name}`,
  ])
  const client = new pg.Client({
    ...config,
    user: name,
    database: name,
    options: '-c default_transaction_read_only=on -c statement_timeout=200',
  })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('show server_version')
  return {
    version: rows[0].server_version.split(' ')[0],
    async run(text) {
      try {
        const { command } = await client.query({ text, queryMode: 'extended' } as pg.QueryConfig)
        return COMMANDS.includes(command) ? undefined : command
      } catch (error) {
        const { code, message } = error as pg.DatabaseError
        const escapes = code === '25006' || /multiple commands|was called/.test(message)
        return escapes ? message : undefined
      }
    },
    async close() {
      await client.end()
      await admin('postgres', [`drop database ${name} with (force)`, `drop role ${name}`])
    },
  }
}
