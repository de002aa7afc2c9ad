import { describe, expect, test } from 'vitest'
import { rules as clickhouseRules } from '../../../src/database/clickhouse/rules.ts'
import { DatabaseError } from '../../../src/database/error.ts'
import { admit } from '../../../src/database/guard/guarded.ts'
import { read } from '../../../src/database/guard/reading.ts'
import { relations } from '../../../src/database/guard/relations.ts'
import { withoutConnection } from '../../../src/database/mysql/created-table.ts'
import { rules as mysql } from '../../../src/database/mysql/rules.ts'
import { postgres } from '../../../src/database/postgres/dialect.ts'
import { rules as postgresRules } from '../../../src/database/postgres/rules.ts'
import { rules as sqlite } from '../../../src/database/sqlite/rules.ts'
import { attacks, benign, exhausting } from '../../support/attacks.ts'
import { refuse, single, verb } from '../../support/guard.ts'

describe.each([
  ['postgres', postgresRules],
  ['sqlite', sqlite],
  ['mysql', mysql],
] as const)('the corpus for %s', (engine, rules) => {
  const wanted = attacks(engine).filter(
    (it) => it.expect === 'rejected' && !exhausting.has(it.name),
  )
  test.each(wanted)('refuses $name: $why', ({ sql }) => {
    expect(refuse(sql, rules)).toMatch(/^[A-Z\w].*\.$/)
  })

  test.each(benign(engine))('lets $name run: $why', ({ sql }) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })
})

describe('what the guard answers', () => {
  test.each([
    ['select 1; select 2', 'Send one statement at a time.'],
    ['', 'The statement is empty.'],
    ['-- only a comment', 'The statement is empty.'],
    [
      'delete from users',
      'Only SELECT, WITH, VALUES, TABLE, SHOW and EXPLAIN can run; this endpoint never writes.',
    ],
    // Not in the corpus: without the guard it starts a process that stays.
    ['select autoprewarm_start_worker()', 'autoprewarm_start_worker() is not allowed here.'],
    ['select autoprewarm_dump_now()', 'autoprewarm_dump_now() is not allowed here.'],
    ['select pg_read_file($1)', 'pg_read_file() is not allowed here.'],
    ['select "PG_Sleep"(1)', 'pg_sleep() is not allowed here.'],
    ['select treat(1 as f)', 'treat() is not allowed here.'],
    ['table pg_authid', 'pg_authid is not allowed here.'],
    [
      'explain analyze select 1',
      'EXPLAIN can only plan a query, without ANALYZE: that would run it.',
    ],
    ["explain '' select 1", 'EXPLAIN can only plan a query, without ANALYZE: that would run it.'],
    ['select * into t from u', 'INTO is not allowed here; this endpoint never writes or locks.'],
    [
      'with a as (delete from t) select 1',
      'DELETE is not allowed here; this endpoint never writes.',
    ],
    ["select 'a", "A quote is not closed: ' is missing."],
    ['select /* a', 'A comment is not closed: */ is missing.'],
    ['select $a$ b', 'A string is not closed: a second $a$ is missing.'],
    ['select 1into t', 'Put a space after 1.'],
    // Before PostgreSQL 15, a number and a name `_$$`.
    ['select 1_$$, pg_sleep(1), 1_$$', 'Put a space after 1_.'],
    ['select 0xa$$, pg_sleep(1), 0xa$$', 'Put a space after 0xa.'],
    ['with dblink (b) as (', 'dblink() is not allowed here.'],
    ['select \0', 'Remove the control characters from the statement.'],
    ['select \ud800', 'Remove the control characters from the statement.'],
    ['select \ufeff1', 'Remove the byte order mark from the statement.'],
    ['select U&"\\zz" from t', 'Write names as they are, without U&"…" escapes.'],
    ['select U&"\\0000" from t', 'Write names as they are, without U&"…" escapes.'],
    ['select U&"\\d800" from t', 'Write names as they are, without U&"…" escapes.'],
    [
      'select U&"a" /* b */ uescape \'!\'',
      'Use a backslash as the escape character in names, and leave out UESCAPE.',
    ],
    ['select U&"pg\\005Fsleep"(1)', 'pg_sleep() is not allowed here.'],
    ['explain update t set a = 1', 'EXPLAIN can only plan a query here, not UPDATE.'],
    ['explain (costs off) delete from t', 'EXPLAIN can only plan a query here, not DELETE.'],
    ['explain execute p', 'EXPLAIN can only plan a query here.'],
    ['explain (strange) select 1', 'EXPLAIN can only plan a query here. Leave out its options.'],
    [
      'explain (analyze off, analyze) select 1',
      'EXPLAIN can only plan a query, without ANALYZE: that would run it.',
    ],
    [
      `select '${'x'.repeat(100_000)}'`,
      'Send at most 100000 characters; this statement has 100009.',
    ],
  ])('to %.40j is a sentence to act on', (sql, sentence) => {
    expect(refuse(sql, postgresRules)).toBe(sentence)
  })

  test.each([
    [
      'explain select 1',
      sqlite,
      'EXPLAIN can only plan a query here. Write EXPLAIN QUERY PLAN in front of it.',
    ],
    [
      'explain t',
      mysql,
      'EXPLAIN can only plan a query here. For the columns of a table, write DESCRIBE.',
    ],
    ['explain delete from t', mysql, 'EXPLAIN can only plan a query here, not DELETE.'],
    ['select 1e5x', mysql, 'Put a space after 1e5.'],
  ] as const)('to %j of another dialect is a sentence to act on', (sql, rules, sentence) => {
    expect(refuse(sql, rules)).toBe(sentence)
  })

  test.each([
    ['select sýs_eval(1)', mysql],
    ['select `SYS_ÉVAL`(1)', mysql],
    ['select benchmar\u212a(1, 1)', mysql],
    ['select authentication_string\u0301 from t', mysql],
    ['select pg_read_f\u0130le(1)', postgresRules],
    ['select "pg_名"(1)', postgresRules],
    ['select btrim.pg_read_file from trim(1)', postgresRules],
  ] as const)('to %j is no, by whichever letters an engine knows the name', (sql, rules) => {
    expect(refuse(sql, rules)).toMatch(/ is not allowed here\.$/)
  })

  test('counts the values of a call whose second one may be SQL', () => {
    const call = (values: string) => refuse(`select ts_rewrite(${values})`, postgresRules)
    expect(call('a, b, c')).toBeUndefined()
    for (const values of ['a, b', 'a, f(b, c)', 'a, array[b, c]', `a, f(${'1, '.repeat(200)}b)`]) {
      expect(call(values)).toBe('ts_rewrite() is not allowed here.')
    }
  })

  test('names only functions that are called, not columns or texts of that name', () => {
    expect(refuse(`select setval, 'pg_sleep(1)', "nextval" from t`, postgresRules)).toBeUndefined()
  })

  test.each([
    'select s.http from shops s where s.http > 1',
    'select s.http from public.shops as s join log on log.id = s.id',
    'select l.nextval from a.log l group by l.nextval',
    'select log.nextval, u.http_get from log, users as u',
    "select pg_split_walfile_name('000000010000000100C000AB')",
  ])('lets %s run: rows are nothing that the function takes', (sql) => {
    expect(refuse(sql, postgresRules)).toBeUndefined()
  })

  test.each([
    ["select l.nextval from to_regclass('s') l", 'nextval'],
    [
      "select l.nextval from log l, lateral (select l.nextval from to_regclass('s') l) x",
      'nextval',
    ],
    ["select (select int4.nextval from cast('1' as int)) from t int4", 'nextval'],
    ["select btrim.http_get from btrim, trim('x')", 'http_get'],
    ['select "current_user".nextval from current_user', 'nextval'],
    ['select l.nextval from current_user l', 'nextval'],
    ['select l.nextval from (t join u on true) l', 'nextval'],
    ['select (l).nextval from t l', 'nextval'],
    ['select l.a.nextval from t l', 'nextval'],
    ["select s.http from (select 'GET') s", 'http'],
    ["with s as (select 'GET') select s.http from s", 'http'],
  ])('refuses %s: what is before the dot may be a value', (sql, name) => {
    expect(refuse(sql, postgresRules)).toBe(`${name}() is not allowed here.`)
  })

  test('lets whole numbers of any base pass', () => {
    expect(refuse('select 0o273, 0b101, 0xff, 1_000', postgresRules)).toBeUndefined()
  })
})

describe('a statement of ours', () => {
  const servers = { sql: 'select srvname, srvacl from pg_catalog.pg_foreign_server' }

  test('may look at what holds secrets, and nobody else may', () => {
    expect(() => admit(servers, postgres)).toThrow('pg_foreign_server is not allowed here.')
    expect(() => admit({ ...servers, internal: true }, postgres)).not.toThrow()
  })

  test('may do no more than read', () => {
    for (const sql of ['select pg_sleep(1)', 'delete from users', 'select 1; select 2']) {
      expect(() => admit({ sql, internal: true }, postgres)).toThrow(DatabaseError)
    }
  })
})

describe('the text of a single statement', () => {
  test.each([
    ['select 1;', 'select 1'],
    ['select 1 ; ; -- done', 'select 1'],
    ['select 1 -- done', 'select 1'],
    ['-- first\nselect 1 /* x */', '-- first\nselect 1'],
    ["select ';' ; /* ; */", "select ';'"],
  ])('of %j is %j', (sql, text) => {
    expect(single(sql, postgresRules)).toBe(text)
  })

  test('is not to be had from two', () => {
    expect(() => single('select 1; select 2', postgresRules)).toThrow('one statement')
  })

  test('begins with its verb, past comments and parentheses', () => {
    expect(verb('/* x */ ((SHOW all', postgresRules)).toBe('show')
  })
})

describe('hostile text', () => {
  const pieces = [
    "'",
    '"',
    '/*',
    '*/',
    '$',
    '$a$',
    '$a',
    '--',
    '[',
    '`',
    '(',
    ':',
    '::',
    '@a(',
    "E'",
  ]
  const more = ["\\'", '1', '1.', 'e', ';', 'with ', 'for ', 'into ', 'a.', '\u00e9', '#', "''\n"]
  test.each([...pieces, ...more])('is read to its end in one pass when it is all %j', (piece) => {
    const sql = `select ${piece.repeat(Math.floor(99_990 / piece.length))}`
    for (const rules of [postgresRules, sqlite, mysql]) {
      const answer = refuse(sql, rules)
      expect(answer === undefined || answer.endsWith('.')).toBe(true)
    }
  })
})

describe('a long statement is read in linear time', () => {
  // Quadratic time took minutes for these; the limit of a test ends that.
  test.each([
    [
      'columns of one subquery',
      `select ${'l.nextval,'.repeat(9_900)}1 from (select 1) l`,
      postgresRules,
    ],
    [
      'columns of nested subqueries',
      `select ${'l.nextval,'.repeat(2_000)}1 ${'from(select 1 '.repeat(4_800)}${')l'.repeat(4_800)}`,
      postgresRules,
    ],
    [
      'a long dotted name',
      `select ${'l.'.repeat(24_000)}nextval, l.nextval from t l`,
      postgresRules,
    ],
    ['a chain of ALL', `select arraymap(${'all '.repeat(24_900)}x)`, clickhouseRules],
  ])('%s', (_, sql, rules) => {
    expect(sql.length).toBeLessThan(100_000)
    for (let n = 0; n < 20; n++) refuse(sql, rules)
  })

  test('a CREATE TABLE of 10 MB is shown without its address', () => {
    const long = 'a'.repeat(10_000_000)
    expect(withoutConnection(`COMMENT='${long}' CONNECTION='${long}`)).toBe(
      `COMMENT='${long}' CONNECTION='…'`,
    )
    const quotes = "''".repeat(1_000_000)
    expect(withoutConnection(`x='${quotes}' CONNECTION='s'`)).toBe(`x='${quotes}' CONNECTION='…'`)
    expect(withoutConnection("`OPTION_LIST`='user=a,password=b'")).toBe("`OPTION_LIST`='…'")
  })
})

test('a function that runs SQL on the table that it is given is refused on SQLite', () => {
  expect(refuse("select rtreecheck('secret')", sqlite)).toBe('rtreecheck() is not allowed here.')
})

test('WITH in parentheses after FROM is not the name of a relation', () => {
  const sql = 'select * from (with x as (select 1 from items) select * from x), y'
  const { tokens } = read({ sql }, sqlite)
  expect([...relations(tokens)].map((i) => tokens[i]!.value)).toEqual(['items', 'x', 'y'])
})

test.each(['select \\N', 'select \\Ninto @x', 'select 1 \\ 2'])(
  'a backslash outside of quotes is refused: %s',
  (sql) => {
    expect(refuse(sql, mysql)).toMatch(/backslash outside of quotes/)
  },
)
