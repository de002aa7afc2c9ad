import type { EventEmitter } from 'node:events'
import { createConnection } from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/mysql/rules.ts'
import { refuse, single } from '../../support/guard.ts'
import { describeMariaDb } from '../../support/mariadb.ts'

describe('the guard for MySQL', () => {
  test.each([
    ['select 1; select 2', 'Send one statement at a time.'],
    [
      'delete from users',
      'Only SELECT, WITH, VALUES, TABLE, SHOW, DESCRIBE, DESC and EXPLAIN can run; this endpoint never writes.',
    ],
    ['select `SLEEP`(1)', 'sleep() is not allowed here.'],
    ['select sleep /* x */ (1)', 'sleep() is not allowed here.'],
    ['select * from `mysql`.user', 'mysql is not allowed here.'],
    ['show grants', 'SHOW GRANTS is not allowed here; this endpoint never writes or locks.'],
    [
      "show create user 'a'",
      'SHOW CREATE USER is not allowed here; this endpoint never writes or locks.',
    ],
    [
      'show create server s',
      'SHOW CREATE SERVER is not allowed here; this endpoint never writes or locks.',
    ],
    ["select jfile_make('[]', '/tmp/x')", 'jfile_make() is not allowed here.'],
    ["select bson_file('/etc/passwd')", 'bson_file() is not allowed here.'],
    ["select envar('PATH')", 'envar() is not allowed here.'],
    ["select encrypt('a', '$6$rounds=999999999$x')", 'encrypt() is not allowed here.'],
    ["select kdf('a', 'b', 4000000000, 'pbkdf2_hmac')", 'kdf() is not allowed here.'],
    ['select default(id) from orders', 'default() is not allowed here.'],
    ["select binlog_gtid_pos('a.000001', 4)", 'binlog_gtid_pos() is not allowed here.'],
    [
      'select * from information_schema.INNODB_CMP_PER_INDEX_RESET',
      'innodb_cmp_per_index_reset is not allowed here.',
    ],
    [
      "show binlog events in 'a.000001'",
      'SHOW BINLOG EVENTS is not allowed here; this endpoint never writes or locks.',
    ],
    [
      "show relaylog 'a' events in 'f'",
      'SHOW RELAYLOG is not allowed here; this endpoint never writes or locks.',
    ],
    [
      'select next value for s',
      'NEXT VALUE FOR is not allowed here; this endpoint never writes or locks.',
    ],
    ['select 1 /*!50000 , sleep(9) */', 'Leave out comments that begin with /*!.'],
    ['select 1 /*M! , sleep(9) */', 'Leave out comments that begin with /*!.'],
    [
      'describe analyze select 1',
      'DESCRIBE ANALYZE is not allowed here; this endpoint never writes or locks.',
    ],
    [
      'explain analyze select 1',
      'EXPLAIN can only plan a query, without ANALYZE: that would run it.',
    ],
    [
      'select 1 lock in share mode',
      'LOCK IN is not allowed here; this endpoint never writes or locks.',
    ],
    ["select 'a\\'", "A quote is not closed: ' is missing."],
    ['select lambda_sync(1, 2)', 'lambda_sync() is not allowed here.'],
  ])('explains why it refuses %j', (sql, sentence) => {
    expect(refuse(sql, rules)).toBe(sentence)
  })

  test.each([
    "select 'it\\'s', \"say \\\"hi\\\"\", 'a''b' -- done",
    'select `a``b`, `into`, t.`for update` from t # done',
    'select 1--1',
    'select "into outfile", \'sleep(1)\'',
    'select 5 as grants, sleep from t',
    'show create table users',
    'show full columns from users',
    'desc users email',
    'explain extended select 1',
    'with recursive r as (select 1 as n union all select n + 1 from r) select * from r',
    'select replace(a, "x", "y"), insert("abc", 1, 1, "x") from t',
    'select @a := 1, @@version, sys_guid()',
    'select count(*) from t group by a with rollup',
    'select page_size from information_schema.innodb_cmp',
    "select a from json_table('[1]', '$[*]' columns (a int path '$' default '1' on empty)) j",
    'show binary logs',
    'show events',
  ])('allows %j', (sql) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })

  test('keeps the text before the final semicolon', () => {
    expect(single("select ';' -- ;\n; # done", rules)).toBe("select ';'")
  })
})

// To run more: FUZZ=2000000 npx vitest run test/database/mysql/guard.test.ts
const inputs = Math.floor(Number(process.env.FUZZ ?? 200_000) / 10)

const setup = 'create table p (a varchar(80)); insert into p values (1)'

await describeMariaDb('MariaDB with text that the guard allows', setup, (mariadb) => {
  test(`runs at most one statement and no write in ${inputs} random texts`, {
    timeout: 30_000 + inputs * 10,
  }, async () => {
    const { host, port, reader: user, database, admin } = mariadb
    const options = { host, port, user, database, multipleStatements: true }
    const client = await createConnection(options)
    const { connection } = client as unknown as { connection: { query(sql: string): EventEmitter } }
    /** The number of statements that ran, and the error that stopped the next one, if any. */
    const run = (sql: string) =>
      new Promise<{ ran: number; errno?: number }>((resolve) => {
        let ran = 0
        let errno: number | undefined
        connection
          .query(sql)
          .on('fields', () => ran++)
          .on('error', (error: Error & { errno?: number }) => {
            // `p.5` is a table 5 in a database p, which the user may not read either.
            const selecting = /^SELECT command denied/.test(error.message)
            errno = selecting ? undefined : error.errno
          })
          .on('end', () => resolve(errno === undefined ? { ran } : { ran, errno }))
      })
    let passed = 0
    let read = 0
    for (const sql of texts(inputs)) {
      if (refuse(sql, rules) !== undefined) continue
      passed++
      const { ran, errno } = await run(single(sql, rules))
      expect(ran, sql).toBeLessThanOrEqual(1)
      // "Denied" means a write. A syntax error after an answer means a second statement.
      expect([1142, 1044, 1227, 1370], sql).not.toContain(errno)
      if (ran === 1) expect(errno, sql).toBeUndefined()
      if (ran === 1) read++
    }
    client.destroy()
    expect(await admin('select a from p')).toEqual([{ a: '1' }])
    // The test would prove nothing if all inputs were refused or invalid.
    expect(passed).toBeGreaterThan(inputs / 20)
    expect(read).toBeGreaterThan(inputs / 200)
  })
})

const STARTS = [
  ...[
    '1',
    "'a'",
    '"a"',
    '1 as a',
    'a from p',
    '1 -- x\n',
    '/* x */ 1',
    'p.a from p',
    '1 as ',
    '1 #\n',
  ],
  ...[
    "N'a'",
    "_utf8mb4'a'",
    "x'41'",
    '0x41',
    '.5',
    '1e1',
    '?',
    '@a',
    '@`a',
    '\\N',
    '1 as `b`',
    '{d',
  ],
]

const SECONDS = [
  ...[';delete from p ', ';drop table p\n', ';select 2 ', ";insert into p values ('b')"],
  ...[" into outfile '/tmp/my_fuzz' ", ' into @b ', ' for update ', ' union select sleep(9) '],
]

/** Opening and closing delimiters in any mode or dialect. */
const PAIRS: readonly (readonly string[])[] = [
  ...[
    ["'", "'"],
    ['"', '"'],
    ['`', '`'],
    ['/*', '*/'],
    ['/*!', '*/'],
    ['/*M!', '*/'],
    ['--', '\n'],
  ],
  ...[
    ['-- ', '\n'],
    ['--\t', '\r\n'],
    ['#', '\n'],
    ['#', '\r'],
    ['$$', '$$'],
    ["'\\", "'"],
  ],
  ...[
    ['"\\', '"'],
    ['`\\', '`'],
    ["''", "'"],
    ['""', '"'],
    ["x'", "\\'"],
    ['(', ')'],
    ["@'", "'"],
  ],
]

const PIECES = [
  ...[
    ' ',
    ',',
    '\n',
    '\\',
    ' as ',
    'a',
    '1',
    '1e',
    '0x',
    '.5',
    '::',
    '||',
    '->',
    ';',
    '*',
    '/',
    '-',
  ],
  ...[
    '\u00a0',
    '\ufeff',
    'é',
    '😕',
    '$',
    '{',
    '}',
    '%',
    '!',
    '+',
    '@',
    '?',
    'null',
    ' select 1',
    "\\'",
  ],
]

/**
 * Random texts, the same in every run: a query, an opening delimiter, a second statement or clause, and a
 * closing delimiter. If the guard and the server disagree about what is open, only one of them sees the second part.
 */
function* texts(count: number): Iterable<string> {
  const random = generator(20261121)
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length - 1)] as T
  for (let i = 0; i < count; i++) {
    const kinds = [...pick(PAIRS), ...pick(PAIRS), pick(PIECES)]
    const some = () => Array.from({ length: 1 + upTo(2) }, () => pick(kinds)).join('')
    yield `select ${pick(STARTS)}${some()}${pick(SECONDS)}${some()}`
  }
}

/** Numbers from 0 to 1 (xorshift32). */
function generator(seed: number) {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
