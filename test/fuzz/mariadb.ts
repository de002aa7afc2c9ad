import { randomBytes } from 'node:crypto'
import mysql from 'mysql2'
import { rules } from '../../src/database/mysql/rules.ts'
import type { Engine, Verdict } from './fuzz.ts'

/** What a statement that only reads may be to the server, by the names of its counters. */
const READS = /^Com_(?:select|show_(?!grants|create_user)\w+)$/

/** Missing rights, which no read needs that the guard lets through. */
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

/** A row that is locked by somebody else, which no plain read waits for. */
const LOCKED = new Set([1205, 1213, 3572])

/**
 * A real server as the judge of what it runs, as a user who may select from two tables and no more.
 * Whatever else a text is makes itself known:
 *
 * - a second statement, and one that is no query, by what it answers: the connection allows several
 *   statements in a text, and a read answers with exactly one set of rows;
 * - a write, a file, a refused function and a hidden table by the right that is missing; a stored
 *   function stands for the refused ones, which is told from the others by its name alone; the
 *   default of a column takes the next value of a sequence;
 * - a locking read by the lock that it does not get: somebody else holds all rows, and nobody waits;
 * - a statement of another kind that answers with rows by the server's counter of that kind, which
 *   is read after each batch.
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
  /** How often each kind of statement has run in this session. */
  let before = new Map<string, number>()

  /** The kinds of the statements since the last time, but for reads. */
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
        // What got through may have changed the session.
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

/** As the server compares the names of routines: without accents, and without case. */
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
  // Another error behind the columns is that of a row.
  if (sets > 1 || (sets > 0 && errno === PARSE_ERROR)) return { escape: 'a second statement' }
  return sets > 0 ? 'reads' : 'unparsed'
}

/** Reads that the guard lets through on purpose: what the rights of a role are there for. */
function isAllowed(sql: string, message: string): boolean {
  // Of functions that do not exist it says the same.
  const routine = /^execute command denied .* for routine '\w+\.(.*)'$/s.exec(message)?.[1]
  if (routine !== undefined) {
    return (
      !rules.refusedFunctions.test(routine.toLowerCase()) &&
      LETTERS.compare(routine, 'sys_eval') !== 0
    )
  }
  // It denies a table before it sees that there is none: a name that only holds "mysql" is no escape.
  if (/[`']mysql[`'](?!`)/i.test(message)) return false
  return /^(?:SELECT|SHOW) command denied/.test(message) || /\bshow\b/i.test(sql)
}
