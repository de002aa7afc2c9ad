import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { rules as mysql } from '../../src/database/dialects/mysql-rules.ts'
import { rules as postgresRules } from '../../src/database/dialects/postgres-rules.ts'
import { rules as sqlite } from '../../src/database/dialects/sqlite-rules.ts'
import { refuse, single, verb } from '../../src/database/guard.ts'
import { attacks, benign, exhausting } from '../support/attacks.ts'
import { describePostgres } from '../support/postgres.ts'

describe.each([
  ['postgres', postgresRules],
  ['sqlite', sqlite],
  ['mysql', mysql],
] as const)('the corpus for %s', (engine, rules) => {
  const wanted = attacks(engine).filter(
    (it) => it.expect === 'rejected' && !exhausting.has(it.name),
  )
  it.each(wanted)('refuses $name: $why', ({ sql }) => {
    expect(refuse(sql, rules)).toMatch(/^[A-Z\w].*\.$/)
  })

  it.each(benign(engine))('lets $name run: $why', ({ sql }) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })
})

describe('what the guard answers', () => {
  it.each([
    ['select 1; select 2', 'Send one statement at a time.'],
    ['', 'The statement is empty.'],
    ['-- only a comment', 'The statement is empty.'],
    [
      'delete from users',
      'Only SELECT, WITH, VALUES, TABLE, SHOW and EXPLAIN may run; this endpoint never writes.',
    ],
    ['select pg_read_file($1)', 'pg_read_file() is not allowed here.'],
    ['select "PG_Sleep"(1)', 'pg_sleep() is not allowed here.'],
    ['table pg_authid', 'pg_authid is not allowed here.'],
    [
      'explain analyze select 1',
      'EXPLAIN may only plan a query, without ANALYZE: that would run it.',
    ],
    ["explain '' select 1", 'EXPLAIN may only plan a query, without ANALYZE: that would run it.'],
    ['select * into t from u', 'INTO is not allowed here; this endpoint never writes or locks.'],
    [
      'with a as (delete from t) select 1',
      'DELETE is not allowed here; this endpoint never writes.',
    ],
    ["select 'a", "A quote is not closed: ' is missing."],
    ['select /* a', 'A comment is not closed: */ is missing.'],
    ['select $a$ b', 'A text is not closed: a second $a$ is missing.'],
    ['select 1into t', 'Put a space after 1.'],
    ['select \0', 'Remove the control characters from the statement.'],
    ['select \ud800', 'Remove the control characters from the statement.'],
    ['select \ufeff1', 'Remove the byte order mark from the statement.'],
    ['select U&"a" from t', 'Write names as they are, without U&"…" escapes.'],
    [`select '${'x'.repeat(100_000)}'`, 'Send at most 100000 characters; these are 100009.'],
  ])('to %.40j is a sentence to act on', (sql, sentence) => {
    expect(refuse(sql, postgresRules)).toBe(sentence)
  })

  it('names only functions that are called, not columns or texts of that name', () => {
    expect(refuse(`select setval, 'pg_sleep(1)', "nextval" from t`, postgresRules)).toBeUndefined()
  })
})

describe('the text of a single statement', () => {
  it.each([
    ['select 1;', 'select 1'],
    ['select 1 ; ; -- done', 'select 1'],
    ['select 1 -- done', 'select 1'],
    ['-- first\nselect 1 /* x */', '-- first\nselect 1'],
    ["select ';' ; /* ; */", "select ';'"],
  ])('of %j is %j', (sql, text) => {
    expect(single(sql, postgresRules)).toBe(text)
  })

  it('is not to be had from two', () => {
    expect(() => single('select 1; select 2', postgresRules)).toThrow('one statement')
  })

  it('begins with its verb, past comments and parentheses', () => {
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
  it.each([...pieces, ...more])('is read to its end in one pass when it is all %j', (piece) => {
    const sql = `select ${piece.repeat(Math.floor(99_990 / piece.length))}`
    for (const rules of [postgresRules, sqlite, mysql]) {
      const answer = refuse(sql, rules)
      expect(answer === undefined || answer.endsWith('.')).toBe(true)
    }
  })
})

// More of them: FUZZ=5000000 npx vitest run test/database/guard.test.ts
const inputs = Number(process.env.FUZZ ?? 200_000)
const timeout = 30_000 + inputs

describe('SQLite itself', () => {
  it(`sees one statement, and nothing that writes, in all that passes of ${inputs} texts`, {
    timeout,
  }, () => {
    const database = new DatabaseSync(':memory:')
    database.exec('create table p (a); insert into p values (1)')
    const state = database.prepare(
      'select (select group_concat(a) from p), (select group_concat(sql) from sqlite_schema)',
    )
    const before = JSON.stringify(state.get())
    let prepared = 0
    for (const sql of texts(inputs)) {
      if (refuse(sql, sqlite) !== undefined) continue
      const text = single(sql, sqlite)
      let first: string
      try {
        first = database.prepare(text).sourceSQL
      } catch {
        continue
      }
      prepared++
      const tail = text.slice(text.indexOf(first) + first.length)
      expect(`${tail}\n`, `after ${JSON.stringify(first)}`).toMatch(BLANK)
      // Unlike prepare, exec runs every statement of a text.
      try {
        database.exec(sql)
      } catch {}
      expect(JSON.stringify(state.get()), sql).toBe(before)
    }
    // A fuzz whose inputs are all refused, or all wrong, would prove nothing.
    expect(prepared).toBeGreaterThan(inputs / 100)
  })
})

const table = 'create table p (a integer); insert into p values (1)'

await describePostgres('PostgreSQL itself', table, (postgres) => {
  it(`sees one statement in all that passes of ${inputs / 10} texts`, { timeout }, async () => {
    const client = new pg.Client({ ...postgres.config, options: '-c statement_timeout=1000' })
    client.on('error', () => {})
    await client.connect()
    await client.query('begin')
    let ran = 0
    for (const sql of texts(inputs / 10)) {
      if (refuse(sql, postgresRules) !== undefined) continue
      await client.query('savepoint s')
      // Without parameters it goes by the simple protocol, which runs every statement of a text.
      const answer = await client.query(sql).catch(() => undefined)
      await client.query('rollback to s')
      if (!answer) continue
      ran++
      expect(Array.isArray(answer), sql).toBe(false)
      expect(['SELECT', 'EXPLAIN', 'SHOW'], sql).toContain(answer.command)
    }
    await client.end()
    expect(ran).toBeGreaterThan(inputs / 1_000)
  })
})

const BLANK = /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*$/

const STARTS = [
  ...['1', "'a'", '1 as a', 'a from p', '1 -- x\n', '/* x */ 1', 'x.a from p as x', '1 as '],
  ...["E'a'", "name 'a'", '1 as [b]', '1 as `b`', "x'41'", '.5', '1e1', '$$a$$', '?1', ':b'],
]

const SECONDS = [';delete from p ', ';drop table p\n', ';select 2 ', ";insert into p values ('b')"]

/** What opens something in one dialect or another, and what closes it. */
const PAIRS = [
  ...[
    ["'", "'"],
    ['"', '"'],
    ['`', '`'],
    ['[', ']'],
    ['/*', '*/'],
    ['--', '\n'],
    ['--', '\r'],
  ],
  ...[
    ['#', '\n'],
    ['$$', '$$'],
    ['$a$', '$a$'],
    ['a$$', '$$'],
    ["E'", "\\'"],
    ["U&'", "''"],
  ],
  ...[
    ['$a(', ')'],
    [':b(', ')'],
    ['@c(', ')'],
    ['(', ')'],
    ["'\\", "'"],
    ['"\\', '"'],
    ["n'", "'"],
  ],
] as const

const PIECES = [
  ...[' ', ',', '\n', '\\', ' as ', 'a', '1', '1e', '0x', '.5', '$1', ':b', '::text', '||', '->'],
  ...[
    '\u00a0',
    '\ufeff',
    'é',
    '$',
    '{',
    '}',
    '%',
    '/',
    '*',
    '-',
    ' union ',
    'null',
    ' select 1',
    ';',
  ],
]

/**
 * So many texts, the same ones every time: a query, something opened, a second statement, something
 * closed. Where two readers disagree on what is open, one of them sees the second statement.
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
