import { randomBytes } from 'node:crypto'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { afterAll, describe, test } from 'vitest'

/** A separate database on a real MariaDB or MySQL, with two separate users. */
export interface TestMariaDb {
  readonly host: string
  readonly port: number
  readonly database: string
  /** The version that the server reports. */
  readonly version: string
  /** A user with all rights. It is not root, whose password others need. */
  readonly owner: string
  /** A user that can only select from the tables of the database. */
  readonly reader: string
  /** The URL for the driver, for the owner or for another user. */
  url(user?: string): string
  /** Runs statements as root, without any guard, and returns the rows of the last one. */
  admin(sql: string, params?: unknown[]): Promise<RowDataPacket[]>
  drop(): Promise<void>
}

/** Statements that create a database, with access to the name of the read-only user. */
export type Setup = string | ((reader: string) => string)

/**
 * Creates a database on the server of this machine, at 127.0.0.1:3306 or MYSQL_TCP_PORT, if root can log
 * in without a password. Otherwise, it logs the reason and returns undefined, or throws if
 * REQUIRE_ALL=1.
 */
export const startMariaDb = (setup: Setup): Promise<TestMariaDb | undefined> =>
  orNone(() => createDatabase(Number(process.env.MYSQL_TCP_PORT ?? 3306), setup))

/** Runs `start`. If it fails, logs the reason and returns undefined, or throws if REQUIRE_ALL=1. */
export async function orNone<T>(start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start()
  } catch (error) {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of a MariaDB: ${(error as Error).message}`)
    return undefined
  }
}

/** Runs tests on a separate database, or skips them if there is no MariaDB. */
export async function describeMariaDb(
  title: string,
  setup: Setup,
  tests: (mariadb: TestMariaDb) => void,
): Promise<void> {
  const mariadb = await startMariaDb(setup)
  if (!mariadb) {
    describe.skip(title, () => test('needs a MariaDB', () => {}))
    return
  }
  describe(title, () => {
    afterAll(() => mariadb.drop())
    tests(mariadb)
  })
}

/** Creates a database on the server of this machine at a port. */
export async function createDatabase(port: number, setup: Setup): Promise<TestMariaDb> {
  const host = '127.0.0.1'
  const database = `tidegate_${randomBytes(6).toString('hex')}`
  const [owner, reader] = [`${database}_owner`, `${database}_reader`]
  const run = async (sql: string, params: unknown[] = [], name: string | undefined = database) => {
    const connection = await mysql.createConnection({
      ...{ host, port, user: 'root', database: name ?? '', multipleStatements: true },
      ...{ dateStrings: true, supportBigNumbers: true, bigNumberStrings: true },
      // A busy machine needs more than the usual ten seconds.
      connectTimeout: 60_000,
    })
    const [rows] = await connection.query(sql, params).finally(() => connection.end())
    return rows as RowDataPacket[]
  }
  const [{ version } = { version: '' }] = await run(
    `create database ${database} character set utf8mb4;
     create user ${owner}@'%'; create user ${reader}@'%';
     grant all privileges on *.* to ${owner}@'%' with grant option;
     grant select on ${database}.* to ${reader}@'%';
     select version() as version`,
    [],
    '',
  ).then((results) => results.at(-1) as unknown as { version: string }[])
  const drop = async () => {
    await run(
      `drop database if exists ${database}; drop user if exists ${owner}@'%', ${reader}@'%'`,
      [],
      '',
    )
  }
  await run(typeof setup === 'string' ? setup : setup(reader)).catch(async (error) => {
    await drop()
    throw error
  })
  return {
    ...{ host, port, database, version, owner, reader, drop },
    url: (user = owner) => `mysql://${user}@${host}:${port}/${database}`,
    admin: (sql, params) => run(sql, params),
  }
}
