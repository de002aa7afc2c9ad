import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { libsql } from '../../../src/database/sqlite/libsql.ts'
import { startHrana } from '../../servers/hrana.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { open } from '../../support/open.ts'
import { withstandsAttacks } from '../../support/sqlite-attacks.ts'
import { shop, speaksSqlite } from '../../support/sqlite-shop.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const FILE = join(tmpdir(), 'tidegate-libsql-file')
afterAll(() => rmSync(FILE, { force: true }))

const server = await startHrana(shop(), 'libsql')
afterAll(() => server.close())
const url = `libsql://127.0.0.1:${server.port}?authToken=${TOKEN}`

describe('the engine of libSQL, over Hrana', () => {
  const database = open(url, io)
  const unguarded = libsql.open(new URL(url), io)

  test('is not that of Node, but has what only libSQL has', async () => {
    const sql = "select vector_extract(vector32('[1, 2.5]')) as v"
    expect((await database.query({ sql }, limits)).rows).toEqual([['[1,2.5]']])
  })

  speaksSqlite(database)
  withstandsAttacks(server, database, unguarded, ['sl_fn_backtick'])

  test('has functions that reach files, which nothing but the guard stops', async () => {
    const sql = `select writefile('${FILE}', 'x'), readfile('${FILE}')`
    const refused = await database.query({ sql }, limits).catch((thrown) => thrown)
    expect([refused.kind, existsSync(FILE)]).toEqual(['refused', false])
    expect((await unguarded.query({ sql }, limits)).rows).toEqual([[1, "x'78'"]])
    expect(existsSync(FILE)).toBe(true)
  })
})
