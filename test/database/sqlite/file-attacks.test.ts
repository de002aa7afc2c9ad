import { readdirSync, readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { file } from '../../../src/database/sqlite/file.ts'
import { connect } from '../../../src/node/sqlite/connection.ts'
import { look } from '../../../src/node/sqlite/look.ts'
import { read } from '../../../src/node/sqlite/read.ts'
import { tables } from '../../attack/sqlite-tables.ts'
import { attacks } from '../../support/attacks.ts'
import { open } from '../../support/open.ts'
import { withstandsAttacks } from '../../support/sqlite-attacks.ts'
import { makeSqliteFile } from '../../support/sqlite-file.ts'
import { filesNamedIn } from '../../support/witness.ts'

const made = makeSqliteFile(tables('fts4'))
afterAll(() => made.close())
const { path, folder, url, io } = made
const files = filesNamedIn(attacks('sqlite').map(({ sql }) => sql))
const snapshot = () => {
  const { ino, mtimeMs } = statSync(path)
  const bytes = readFileSync(path).toString('base64')
  return [bytes, ino, mtimeMs, ...readdirSync(folder), files.seen()].join(' ')
}
const before = snapshot()
const corpus = attacks('sqlite').filter(({ name }) => !name.startsWith('sl_dos_'))

describe('a SQLite file', () => {
  withstandsAttacks({ snapshot }, open(url, io), file.open(new URL(url), io))
})

describe('the connection to a SQLite file alone', () => {
  /** What keeps a session from writing, and from reading other files. */
  const settings = (database: DatabaseSync) => {
    database.setAuthorizer(null)
    const names = ['query_only', 'trusted_schema', 'temp_store', 'busy_timeout', 'database_list']
    return names.map((it) => database.prepare(`pragma ${it}`).all())
  }

  // Every statement of a text is run, one after the other.
  test.each(corpus)('lets nothing be changed, in the file or in itself: $name', ({ sql }) => {
    const database = connect(look(path).uri, 1_000)
    const other = connect(look(path).uri, 1_000)
    try {
      database.exec(sql)
    } catch {
      // It may be refused.
    }
    expect(settings(database)).toEqual(settings(other))
    database.close()
    other.close()
    expect(snapshot()).toBe(before)
  })

  test.each([
    "attach '/etc/passwd' as x",
    "attach ':memory:' as x",
    `attach '${path}' as x`,
    "select load_extension('x')",
    'pragma query_only = off',
    'pragma journal_mode = wal',
    'pragma writable_schema = on',
    'create temp table x (a)',
    'begin',
    'delete from users',
  ])('refuses %s', (sql) => {
    const database = connect(look(path).uri, 1_000)
    expect(() => database.exec(sql)).toThrow()
    expect(() => database.enableLoadExtension(true)).toThrow()
    database.close()
  })
})

/** What only newer versions of Node have. */
const YOUNG = ['setAuthorizer', 'enableDefensive', 'limits'] as const

describe('a SQLite file on a Node that lacks what came later', () => {
  const kept = new Map<string, PropertyDescriptor>()
  const { prototype } = DatabaseSync
  beforeEach(() => {
    for (const name of YOUNG) {
      const own = Object.getOwnPropertyDescriptor(prototype, name)
      if (own) kept.set(name, own)
      Object.defineProperty(prototype, name, { value: undefined, configurable: true })
    }
  })
  afterEach(() => {
    for (const name of YOUNG) {
      const own = kept.get(name)
      if (own) Object.defineProperty(prototype, name, own)
      else delete (prototype as unknown as Record<string, unknown>)[name]
    }
  })

  test.each(corpus)('is not changed, without the guard: $name', ({ sql }) => {
    const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
    try {
      read({ path, sql, params: [], ...limits })
    } catch {
      // It may be refused.
    }
    expect(snapshot()).toBe(before)
  })
})
