import { randomBytes } from 'node:crypto'
import mysql from 'mysql2'
import { rules } from '../../src/database/mysql/rules.ts'
import type { Engine, Verdict } from './fuzz.ts'

/** Matches the counters of the server for statements that only read. */
const READS = /^Com_(?:select|show_(?!grants|create_user)\w+)$/

/** Errors about missing rights that a read which the guard accepts never needs. */
const DENIED = new Set([1044, 1045, 1142, 1143, 1227, 1290, 1370, 1792])

const UNSEEN = new Map([
  ...['clause for share', 'clause describe analyze', 'clause desc analyze'].map(
    (rule) => [rule, 'for MySQL 8: no syntax of MariaDB'] as const,
  ),
  ['clause show create server', 'for MariaDB 11.7: no syntax of older versions'],
  ...['clause show binlog events', 'clause show relaylog'].map(
    (rule) => [rule, 'a SHOW for which a right is missing counts as a read'] as const,
  ),
  ['digitNames', 'lets more through, and nothing else without it'],
])

/** Errors about a row that another session has locked. A plain read never waits for one. */
const LOCKED = new Set([1205, 1213, 3572])

/**
 * A real server as the judge. It runs each text as a user who can only select from two tables. It
 * detects everything else:
 *
 * - a second statement, or one that is not a query, by its results: the connection allows several
 *   statements in a text, and a read returns exactly one result set;
 * - a write, a file, a refused function or a hidden table by the missing right. A stored function
 *   represents all refused functions and is recognized only by its name. The default of a column takes
 *   the next value of a sequence;
 * - a locking read by the lock that it does not get, because another session holds all rows and there is
 *   no wait;
 * - another kind of statement that returns rows by the server's counter for that kind, which is read
 *   after each batch.
 */
export async function openMariaDb(): Promise<Engine> {
  const name = `tidegate_fuzz_${randomBytes(6).toString('hex')}`
  const config = { host: '127.0.0.1', port: Number(process.env.MYSQL_TCP_PORT ?? 3306) }
  const connect = async (options: mysql.ConnectionOptions) => {
    const connection = mysql.createConnection({ ...config, multipleStatements: true, ...options })
    connection.on('error', () => {})
    await connection.promise().connect()
    return connection
  }
  const admin = await connect({ user: 'root' })
  await admin.promise().query(`create database ${name} character set utf8mb4; use ${name};
    create table users (id integer, email text) engine=innodb;
    create sequence s;
    create table orders (id integer default nextval(s), user_id integer, total double) engine=innodb;
    create function sys_eval (x text) returns integer deterministic return 1;
    insert into users values (1, 'a'), (2, 'b'); insert into orders values (1, 1, 2.5);
    create user ${name}@'%';
    grant select on ${name}.users to ${name}@'%'; grant select on ${name}.orders to ${name}@'%';
    start transaction; select * from users for update; select * from orders for update`)
  const [versions] = await admin.promise().query<mysql.RowDataPacket[]>('select version() as v')
  const session = async () => {
    const connection = await connect({
      ...{ user: name, database: name, disableEval: true, rowsAsArray: true, charset: 'utf8mb4' },
    })
    await connection.promise().query(
      `set session innodb_lock_wait_timeout = 0, lock_wait_timeout = 0, max_statement_time = 0.2,
        max_recursive_iterations = 100`,
    )
    return connection
  }
  let connection = await session()
  /** The number of statements of each kind that have run in this session. */
  let before = new Map<string, number>()

  /** The kinds of the statements since the last call, without reads. */
  const kinds = async () => {
    const [rows] = await connection
      .promise()
      .query<mysql.RowDataPacket[]>(`show session status where variable_name like 'Com\\_%'`)
    const counts = new Map(rows.map((row) => [String(row[0]), Number(row[1])]))
    const grown = [...counts].filter(([kind, count]) => count > (before.get(kind) ?? 0))
    before = counts
    return grown.map(([kind]) => kind).filter((kind) => !READS.test(kind))
  }
  await kinds()

  const run = (sql: string) =>
    new Promise<Verdict>((resolve, reject) => {
      let [sets, others] = [0, 0]
      let failure: mysql.QueryError | undefined
      const query = connection.query({ sql, rowsAsArray: true })
      query.on('fields', (fields: unknown) => (fields ? sets++ : others++))
      query.on('error', (error) => {
        failure = error
        if (error.fatal) reject(error)
      })
      query.on('end', () => resolve(verdictOf(sql, sets, others, failure)))
    })

  const judge = async (texts: readonly string[]) => {
    const verdicts = await Promise.all(texts.map(run))
    if ((await kinds()).length === 0 || verdicts.some(isEscape)) return verdicts
    const again: Verdict[] = []
    for (const text of texts) {
      const verdict = await run(text)
      const [kind] = await kinds()
      again.push(kind === undefined ? verdict : { escape: kind })
    }
    return again
  }

  return {
    name: 'mysql',
    rules,
    unseen: UNSEEN,
    batch: 200,
    async judge(texts) {
      const verdicts = await judge(texts)
      if (verdicts.some(isEscape)) {
        // A text that got through may have changed the session.
        connection.destroy()
        connection = await session()
        before = new Map()
        await kinds()
      }
      return verdicts
    },
    version: () => `MariaDB ${versions[0]!.v.split('-')[0]}`,
    async close() {
      connection.destroy()
      await admin.promise().query(`rollback; drop database ${name}; drop user ${name}@'%'`)
      await admin.promise().end()
    },
  }
}

const isEscape = (verdict: Verdict) => typeof verdict === 'object'

const PARSE_ERROR = 1064

/** Compares names of routines like the server: without accents and case. */
const LETTERS = new Intl.Collator('en', { sensitivity: 'base' })

function verdictOf(
  sql: string,
  sets: number,
  others: number,
  failure: mysql.QueryError | undefined,
): Verdict {
  if (others > 0) return { escape: 'a statement that is no query' }
  const { errno = 0, message = '' } = failure ?? {}
  if (LOCKED.has(errno)) return { escape: message }
  if (DENIED.has(errno) && !isAllowed(sql, message)) return { escape: message }
  // Any other error after the columns is about a row.
  if (sets > 1 || (sets > 0 && errno === PARSE_ERROR)) return { escape: 'a second statement' }
  return sets > 0 ? 'reads' : 'unparsed'
}

/** True for reads that the guard accepts on purpose, and that the rights of a role control. */
function isAllowed(sql: string, message: string): boolean {
  // The error is the same for functions that do not exist.
  const routine = /^execute command denied .* for routine '\w+\.(.*)'$/s.exec(message)?.[1]
  if (routine !== undefined) {
    return (
      !rules.refusedFunctions.test(routine.toLowerCase()) &&
      LETTERS.compare(routine, 'sys_eval') !== 0
    )
  }
  // It denies a table before it checks that it exists. A name that only contains "mysql" is not an escape.
  if (/[`']mysql[`'](?!`)/i.test(message)) return false
  return /^(?:SELECT|SHOW) command denied/.test(message) || /\bshow\b/i.test(sql)
}
