import { describe, expect, it } from 'vitest'
import { rules as mysql } from '../../src/database/dialects/mysql-rules.ts'
import { rules as postgresRules } from '../../src/database/dialects/postgres-rules.ts'
import { rules as sqlite } from '../../src/database/dialects/sqlite-rules.ts'
import { refuse, single, verb } from '../../src/database/guard.ts'
import { attacks, benign, exhausting } from '../support/attacks.ts'

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
