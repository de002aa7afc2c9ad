import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import { hasNoSecret, locate } from '../../../src/database/open.ts'
import { file as driver } from '../../../src/database/sqlite/file.ts'
import { pathOf, urlOfFile } from '../../../src/database/sqlite/file-url.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { open } from '../../support/open.ts'
import { makeSqliteFile } from '../../support/sqlite-file.ts'
import { TOO_DEEP, TOO_DEEP_ERROR } from '../../support/sqlite-shop.ts'

const limits = { maxRows: 100, maxBytes: 100_000, timeoutMs: 20_000 }

const shop = makeSqliteFile([
  'create table customers (id integer primary key, name text not null, full text generated always as (upper(name)))',
  'create table orders (id integer primary key, customer int references customers, total real) strict',
  'create table codes (code text primary key, meaning text) without rowid',
  'create view big as select * from orders where total > 10',
  "insert into customers (name) values ('Ada'), ('Bo')",
  'insert into orders values (1, 1, 12.5), (2, 2, 9.5)',
  'create virtual table notes using fts5(body)',
  "insert into notes values ('ring twice'), ('leave it')",
  'create virtual table places using rtree(id, west, east)',
  'insert into places values (1, 0, 5)',
])
afterAll(() => shop.close())
const database = open(shop.url, shop.io)
const ask = async (sql: string, params?: (string | number | null)[]) =>
  (await database.query({ sql, params }, limits)).rows

/** What a statement is refused with, by the guard and without it. */
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    ({ kind, message }) => `${kind}: ${message}`,
  )

describe('the path of a SQLite file', () => {
  const home = '/home/ada'
  test.each([
    ['sqlite:shop.db', 'shop.db'],
    ['sqlite:./a b/shop.db', './a b/shop.db'],
    ['sqlite:../shop.db', '../shop.db'],
    ['sqlite:/data/shop.db', '/data/shop.db'],
    ['sqlite:///data/a%20b/100%25.db', '/data/a b/100%.db'],
    ['sqlite://localhost/data/shop.db', '/data/shop.db'],
    ['sqlite:~/shop.db', '/home/ada/shop.db'],
    ['sqlite:caf%C3%A9.db', 'café.db'],
    ['sqlite:café.db', 'café.db'],
    ['file:shop.db', 'shop.db'],
    ['file:./dev.db', './dev.db'],
    ['FILE:/data/shop.db?mode=ro', '/data/shop.db'],
    ['file:///data/shop.db', '/data/shop.db'],
    [String.raw`sqlite:C:\data\a b.db`, String.raw`C:\data\a b.db`],
    ['file:///C:/data/shop.db', 'C:/data/shop.db'],
  ])('in %s is %s', (url, path) => {
    expect(pathOf(databaseUrl(url), home)).toBe(path)
  })

  test.each([
    'shop.sqlite',
    './a b/100%.db',
    '/data/what?#.db',
    '//data/shop.db',
    'a\tb\nc.db',
    String.raw`C:\Users\Ada\shop.db`,
    String.raw`\\server\share\shop.db`,
    'café %41.db',
  ])('%j becomes a URL that names it', (path) => {
    expect(pathOf(databaseUrl(urlOfFile(path)), home)).toBe(path)
  })

  test.each([
    ['sqlite:', 'must have a path'],
    ['sqlite:/', 'must have a path'],
    ['sqlite::memory:', 'is empty'],
    ['sqlite://shop.db', 'must have a path and no host'],
    ['sqlite://server/shop.db', 'must have a path and no host'],
    ['sqlite:a.db?mode=rwc', 'cannot have parameters'],
    ['sqlite:a.db?vfs=unix-none', 'cannot have parameters'],
    ['sqlite:a.db?mode=ro&immutable=1', 'cannot have parameters'],
    ['sqlite:a#b.db', '%23'],
    ['sqlite:a%00.db', 'must have a path'],
    ['sqlite:100%.db', '%25'],
  ])('is missed in %s, in a sentence', (url, sentence) => {
    expect(() => pathOf(databaseUrl(url), home)).toThrow(sentence)
  })

  test('is no secret', () => {
    expect(hasNoSecret('sqlite:/data/shop.db')).toBe(true)
    expect(hasNoSecret('libsql:x')).toBe(false)
  })
})

test('where there is no machine, a sentence says that there are no files', async () => {
  const found = locate('file:./dev.db', { fetch, bindings: {} })
  await expect(found.open()).rejects.toMatchObject({
    kind: 'config',
    message: expect.stringContaining('there are no files here'),
  })
})

describe('a SQLite file', () => {
  test('is read with names, declared types, parameters and caps', async () => {
    const sql =
      'select id, name, full, id as id, 1 + 1, total from customers join orders using (id)'
    const answer = await database.query({ sql }, { ...limits, maxRows: 1 })
    expect(answer.columns).toEqual(
      [
        ['id', 'integer'],
        ['name', 'text'],
        ['full', 'text'],
        ['id', 'integer'],
        ['1 + 1', 'integer'],
        ['total', 'real'],
      ].map(([name, type]) => ({ name, type })),
    )
    expect([answer.rows, answer.truncated]).toEqual([[[1, 'Ada', 'ADA', 1, 2, 12.5]], 'rows'])
    expect(await ask('select $2, $1, typeof($1), typeof($2)', [1, 1.5])).toEqual([
      [1.5, 1, 'integer', 'real'],
    ])
    expect(await ask('select ?, ?', ['a', null])).toEqual([['a', null]])
    const pairs: [string, number[]][] = [
      ['select ?1', [1, 2]],
      ['select ?1, ?2', [1]],
      ['select ?, ?', [1]],
      ['select ?1', []],
    ]
    for (const [text, params] of pairs) {
      await expect(ask(text, params)).rejects.toMatchObject({ kind: 'sql' })
    }
  })

  test('is read through views, full-text search, R-Trees and the tables of the schema', async () => {
    expect(await ask('select id from big')).toEqual([[1]])
    expect(await ask("select body from notes where notes match 'ring'")).toEqual([['ring twice']])
    expect(await ask("select highlight(notes, 0, '<', '>') from notes('leave')")).toEqual([
      ['<leave> it'],
    ])
    expect(await ask('select id from places where east < 6')).toEqual([[1]])
    expect(await ask("select name from pragma_table_info('codes')")).toEqual([
      ['code'],
      ['meaning'],
    ])
    expect(await ask('explain query plan select * from orders where id = 1')).toHaveLength(1)
  })

  test('keeps texts with a NUL and texts that are no UTF-8, and cuts blobs', async () => {
    const [row] = await ask(
      "select 'a' || char(0) || 'b', cast(x'41ff42' as text), zeroblob(1000), -9223372036854775808",
    )
    expect(row!.slice(0, 2)).toEqual(['a\0b', 'A\ufffdB'])
    expect(row![2]).toMatch(/^x'0+…' \(256 of 1000 bytes\)$/)
    expect(row![3]).toBe('-9223372036854775808')
  })

  test('says in an error what SQLite says, and where', async () => {
    await expect(ask('select nope from orders')).rejects.toMatchObject({
      kind: 'sql',
      message: 'no such column: nope',
      position: 8,
    })
    await expect(ask('select * from nowhere')).rejects.toThrow('no such table: nowhere')
  })

  test.each(TOO_DEEP)('says what to do with a statement that is too deep: %.20s', async (sql) => {
    await expect(ask(sql)).rejects.toMatchObject(TOO_DEEP_ERROR)
  })
})

describe('a statement that writes', () => {
  const bare = driver.open(new URL(shop.url), shop.io)
  const evil = join(shop.folder, 'evil.db')
  test.each([
    'delete from orders',
    "insert into notes(notes) values ('optimize')",
    'update customers set name = 1 returning name',
    'create table x (a)',
    'create temp table x (a)',
    'drop table orders',
    `attach '${evil}' as evil`,
    `vacuum into '${evil}'`,
    'vacuum',
    'reindex',
    'analyze',
    'begin immediate',
    'pragma user_version = 7',
    'pragma journal_mode = wal',
    'pragma query_only = off',
    'pragma writable_schema = on',
    'explain pragma user_version = 7',
    'select * from pragma_optimize',
    'select * from "pragma_optimize"',
    'select * from pragma_journal_mode',
    'select * from pragma_wal_checkpoint',
    'select * from pragma_database_list',
    "select load_extension('x')",
    'select optimize(notes) from notes',
    'select 1; delete from orders',
    'select 1) ; delete from orders; select (1',
    'with x as (select 1) delete from orders',
    'select writefile(1, 2)',
    '',
  ])('has no effect without the guard: %s', async (sql) => {
    const before = readFileSync(shop.path)
    expect(await refusalOf(bare.query({ sql }, limits))).toMatch(/^(?:refused|sql): /)
    expect(readdirSync(shop.folder)).toEqual([basename(shop.path)])
    expect(readFileSync(shop.path).equals(before)).toBe(true)
  })

  test('is tried by the doctor, and refused', async () => {
    const located = await locate(shop.url, shop.io).open()
    const trials = await located.tryWrite!({ schema: 'main', name: 'orders' }, limits)
    expect(trials).toMatchObject([{ refused: true }])
  })

  test('would find a file that this user may write, as the doctor says', async () => {
    const found = await inspectRole(database, limits)
    expect(found.findings).toMatchObject([{ kind: 'file-writable', objects: ['test.db'] }])
    expect(found.version).toMatch(/^SQLite 3\.\d+/)
  })
})

describe('what cannot be read', () => {
  const other = makeSqliteFile([])
  afterAll(() => other.close())
  const at = (name: string) => join(other.folder, name)
  const failureOf = (path: string) =>
    refusalOf(open(urlOfFile(path), other.io).query({ sql: 'select 1' }, limits))

  test.each([
    ['nothing', 'missing.db', 'There is no file missing.db', () => {}],
    ['a folder', 'folder', 'is a folder', (path: string) => mkdirSync(path)],
    [
      'a text',
      'text.db',
      'text.db is not a SQLite file.',
      (p: string) => writeFileSync(p, 'a,b\n'),
    ],
    [
      'what may be encrypted',
      'secret.db',
      'or an encrypted one',
      (path: string) => writeFileSync(path, crypto.getRandomValues(new Uint8Array(8192))),
    ],
    [
      'a log of writes that lacks its index',
      'left.db',
      'was not closed',
      (path: string) => {
        const writer = new DatabaseSync(at('writer.db'))
        writer.exec('pragma journal_mode = wal; create table t (a)')
        for (const end of ['', '-wal']) copyFileSync(at(`writer.db${end}`), path + end)
        writer.close()
      },
    ],
  ])('%s', async (_, name, sentence, make) => {
    make(at(name))
    const failure = await failureOf(at(name))
    expect(failure).toContain(sentence)
    expect(failure).toMatch(/^config: /)
    expect(failure).not.toContain(other.folder)
  })

  test('a file of others', async () => {
    writeFileSync(at('theirs.db'), '', { mode: 0 })
    // To the administrator, no file is one of others.
    if (process.getuid?.() === 0) return
    expect(await failureOf(at('theirs.db'))).toContain('is not allowed to read theirs.db')
  })

  test('a file that is damaged', async () => {
    const bytes = readFileSync(shop.path)
    writeFileSync(at('damaged.db'), bytes.fill(0xff, 100))
    const damaged = open(urlOfFile(at('damaged.db')), other.io)
    const failure = await refusalOf(damaged.query({ sql: 'select * from sqlite_schema' }, limits))
    expect(failure).toContain('damaged')
  })
})

describe('a file that others write', () => {
  const made = () => {
    const it = makeSqliteFile(
      ['pragma journal_mode = wal', 'create table t (a)', 'insert into t values (1)'],
      'a b%?#.db',
    )
    onTestFinished(() => it.close())
    const database = open(urlOfFile(it.path), it.io)
    const count = async () =>
      (await database.query({ sql: 'select count(*) from t' }, limits)).rows[0]![0]
    return { ...it, count, files: () => readdirSync(it.folder).sort() }
  }

  test('by a log is read with it, and after it, and no file is made', async () => {
    const { path, count, files } = made()
    const alone = files()
    expect([await count(), files()]).toEqual([1, alone])
    const writer = new DatabaseSync(path)
    writer.exec('insert into t values (2)')
    const beside = files()
    expect([await count(), files()]).toEqual([2, beside])
    writer.exec('insert into t values (3)')
    expect([await count(), files()]).toEqual([3, beside])
    writer.close()
    expect([await count(), files()]).toEqual([3, alone])
  })

  test('and whose writer died, is read with what that one wrote', async () => {
    const { folder, path, count } = made()
    const writer = new DatabaseSync(path)
    writer.exec('insert into t values (2)')
    for (const end of ['', '-wal', '-shm']) copyFileSync(path + end, join(folder, `copy${end}`))
    writer.close()
    for (const end of ['', '-wal', '-shm']) renameSync(join(folder, `copy${end}`), path + end)
    expect(await count()).toBe(2)
  })

  test('is read where nothing may be made beside it', async () => {
    const { folder, count } = made()
    chmodSync(folder, 0o500)
    onTestFinished(() => chmodSync(folder, 0o700))
    expect(await count()).toBe(1)
  })

  test('is another one at once when it is replaced, and missed when it is deleted', async () => {
    const { folder, path, count } = made()
    expect(await count()).toBe(1)
    const next = new DatabaseSync(join(folder, 'next.db'))
    next.exec('create table t (a)')
    next.close()
    renameSync(join(folder, 'next.db'), path)
    expect(await count()).toBe(0)
    rmSync(path)
    expect(await refusalOf(count())).toContain('There is no file')
  })

  test('gives no wrong answer while writers come and go', async () => {
    const { path, url: _, io } = made()
    const setup = new DatabaseSync(path)
    setup.exec(`create table pairs (side text primary key, amount int, filler text);
      insert into pairs values ('a', 0, hex(randomblob(200000))), ('b', 0, hex(randomblob(200000)))`)
    setup.close()
    const database = open(urlOfFile(path), io)
    let done = false
    let written = 0
    const write = async () => {
      while (!done) {
        const writer = new DatabaseSync(path)
        writer.exec(`pragma busy_timeout = 5000; begin immediate;
          update pairs set amount = amount + 1, filler = hex(randomblob(200000)) where side = 'a';
          update pairs set amount = amount - 1, filler = hex(randomblob(200000)) where side = 'b';
          commit`)
        written++
        if (written % 3) writer.close()
        await new Promise((resolve) => setTimeout(resolve, written % 7))
        if (!(written % 3)) writer.close()
      }
    }
    const writing = write()
    onTestFinished(async () => {
      done = true
      await writing
    })
    let last = 0
    let busy = 0
    for (let i = 0; i < 60; i++) {
      const sql = 'select sum(amount), max(amount), sum(length(filler)) from pairs'
      const answer = await database.query({ sql }, limits).catch((error) => {
        if (error.kind !== 'network') throw error
        busy++
      })
      if (!answer) continue
      const [sum, most, length] = answer.rows[0] as number[]
      expect([sum, length]).toEqual([0, 800_000])
      expect(most).toBeGreaterThanOrEqual(last)
      last = most!
    }
    expect(last).toBeGreaterThan(0)
    expect(busy).toBeLessThan(30)
  })

  test('is not waited for longer than a statement may take', async () => {
    const { path, io } = makeSqliteFile(['create table t (a)'])
    const writer = new DatabaseSync(path)
    writer.exec('begin exclusive')
    onTestFinished(() => writer.close())
    const held = open(urlOfFile(path), io).query(
      { sql: 'select * from t' },
      { ...limits, timeoutMs: 300 },
    )
    expect(await refusalOf(held)).toMatch(/^(?:network: Another program|timeout: )/)
  })
})
