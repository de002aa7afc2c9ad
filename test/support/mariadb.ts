import { randomBytes } from 'node:crypto'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { afterAll, describe, test } from 'vitest'

/** A database of its own on a real MariaDB or MySQL, and two users of its own. */
export interface TestMariaDb {
  readonly host: string
  readonly port: number
  readonly database: string
  /** The server's own word for what it is. */
  readonly version: string
  /** A user with every right there is. Not root itself, whose password others need. */
  readonly owner: string
  /** A user that may select from the tables of the database, and no more. */
  readonly reader: string
  /** The URL for the driver, as the owner or as somebody else. */
  url(user?: string): string
  /** Runs statements as root, past every guard, and returns the rows of the last. */
  admin(sql: string, params?: unknown[]): Promise<RowDataPacket[]>
  drop(): Promise<void>
}

/** Statements that make a database, given the user that will only read. */
export type Setup = string | ((reader: string) => string)

/**
 * Makes a database on the server of this machine, at 127.0.0.1:3306 or MYSQL_TCP_PORT, if it lets
 * root in without a password. Otherwise it says why, and returns nothing; with REQUIRE_ALL=1 it
 * throws instead.
 */
export const startMariaDb = (setup: Setup): Promise<TestMariaDb | undefined> =>
  orNone(() => createDatabase(Number(process.env.MYSQL_TCP_PORT ?? 3306), setup))

/** Starts what may be missing here. Then it says why, and returns nothing; with REQUIRE_ALL=1 it throws. */
export async function orNone<T>(start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start()
  } catch (error) {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of a MariaDB: ${(error as Error).message}`)
    return undefined
  }
}

/** Runs tests on a database of their own, or skips them where there is no MariaDB. */
export async function describeMariaDb(
  title: string,
  setup: Setup,
  tests: (mariadb: TestMariaDb) => void,
): Promise<void> {
  const mariadb = await startMariaDb(setup)
  if (!mariadb) {
    describe.skip(title, () => test('waits for a MariaDB', () => {}))
    return
  }
  describe(title, () => {
    afterAll(() => mariadb.drop())
    tests(mariadb)
  })
}

/** Makes a database on the server of this machine at a port. */
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
