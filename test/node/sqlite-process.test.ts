import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SqliteFile } from '../../src/database/machine.ts'
import { sqliteFile } from '../../src/node/sqlite/file.ts'
import { makeSqliteFile } from '../support/sqlite-file.ts'
import { gone, isAlive, isListed, readers } from '../support/sqlite-readers.ts'

const limits = { maxRows: 1_000, maxBytes: 1_000_000, timeoutMs: 30_000 }
const ENDLESS =
  'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'

const made = makeSqliteFile([
  'create table t (id integer primary key, name text)',
  `insert into t with recursive c(x) as (select 1 union all select x + 1 from c limit 1000000)
    select x, 'the name of row ' || x from c`,
])
afterAll(() => made.close())

function opened(): SqliteFile {
  const file = sqliteFile(made.path)
  onTestFinished(async () => file.close())
  return file
}

const megabytes = (pid: number) =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

test('an endless statement times out, and the next one is answered', async () => {
  const file = opened()
  const endless = file.read({ sql: ENDLESS }, { ...limits, timeoutMs: 500 })
  await expect(endless).rejects.toMatchObject({
    kind: 'timeout',
    message: expect.stringContaining('after 0.5 seconds'),
  })
  expect((await file.read({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
})

test('a caller who aborts ends their own statement, but not those of others', async () => {
  const file = opened()
  const abort = new AbortController()
  const left = file.read({ sql: ENDLESS }, { ...limits, signal: abort.signal })
  const other = file.read({ sql: 'select count(*) from t' }, limits)
  setTimeout(() => abort.abort(), 400)
  await expect(left).rejects.toThrow('cancelled by the client')
  expect((await other).rows).toEqual([[1_000_000]])
  expect((await file.read({ sql: 'select 2' }, limits)).rows).toEqual([[2]])
})

test('statements wait for a free process, but not longer than their timeout', async () => {
  const file = opened()
  const endless = [1, 2].map(() => file.read({ sql: ENDLESS }, { ...limits, timeoutMs: 2_000 }))
  const short = file.read({ sql: 'select 1' }, { ...limits, timeoutMs: 300 })
  const long = file.read({ sql: 'select 2' }, limits)
  await expect(short).rejects.toMatchObject({ kind: 'timeout' })
  await Promise.all(endless.map((it) => expect(it).rejects.toMatchObject({ kind: 'timeout' })))
  expect((await long).rows).toEqual([[2]])
  if (isListed) expect(readers().length).toBeLessThanOrEqual(2)
})

test('a closed file leaves no process, even in the middle of a statement', async () => {
  const file = opened()
  const endless = file.read({ sql: ENDLESS }, limits).catch((error) => error.kind)
  await file.read({ sql: 'select 1' }, limits)
  const pids = isListed ? readers() : []
  await file.close()
  expect(await endless).toBe('network')
  await expect(file.read({ sql: 'select 1' }, limits)).rejects.toThrow('closed')
  expect(await gone(pids)).toBe(true)
})

describe.runIf(isListed)('memory', () => {
  test('stays small for large results, sorts, groups and joins', async () => {
    const file = opened()
    for (const sql of [
      'select * from t',
      'select * from t order by name desc',
      'select count(*), max(name) from t group by id % 7',
      'select a.name from t a join t b on a.id = b.id order by b.name',
    ]) {
      const { truncated } = await file.read({ sql }, limits)
      expect([sql, truncated]).toEqual([sql, sql.includes('count') ? false : 'rows'])
    }
    const [pid, ...more] = readers()
    expect(more).toEqual([])
    expect(megabytes(pid!)).toBeLessThan(140)
  })

  test.each([
    'select zeroblob(1000000000)',
    'select hex(zeroblob(400000000))',
    "select printf('%.*c', 200000000, 'x')",
    'select group_concat(name || hex(zeroblob(1000))) from t',
    "select replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))",
    'select json_group_array(hex(zeroblob(1000))) from t',
    'select length(json_group_array(hex(zeroblob(10000)))) from t',
  ])('is limited in %s', async (sql) => {
    const file = opened()
    await file.read({ sql: 'select 1' }, limits)
    const [pid] = readers()
    const failed = file.read({ sql }, limits)
    await expect(failed).rejects.toMatchObject({ kind: 'too_large' })
    // A process that used more was killed.
    if (isAlive(pid!)) expect(megabytes(pid!)).toBeLessThan(400)
    expect((await file.read({ sql: 'select 1' }, limits)).rows).toEqual([[1]])
  })
})

describe.runIf(isListed)('the readers of a process', () => {
  const program = `
    import { sqliteFile } from ${JSON.stringify(join(import.meta.dirname, '../../src/node/sqlite/file.ts'))}
    const file = sqliteFile(process.argv[1])
    const limits = { maxRows: 1, maxBytes: 1000, timeoutMs: 600000 }
    await file.read({ sql: 'select 1' }, limits)
    process.send('idle')
    const endless = file.read({ sql: process.argv[2] }, limits)
    await file.read({ sql: 'select 1' }, limits)
    process.send('busy')
    await endless`

  test.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    'all end when the process gets %s',
    async (signal) => {
      for (const until of ['idle', 'busy']) {
        const args = ['--no-warnings', '--input-type=module', '-e', program, made.path, ENDLESS]
        const parent = spawn(process.execPath, args, {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        })
        for await (const [said] of on(parent)) if (said === until) break
        const pids = readers(parent.pid)
        expect(pids.length).toBeGreaterThan(0)
        parent.kill(signal)
        await once(parent, 'exit')
        expect(await gone(pids)).toBe(true)
      }
    },
  )

  test('do not keep the process from exiting', async () => {
    const ending = program.slice(0, program.indexOf('process.send'))
    const args = ['--no-warnings', '--input-type=module', '-e', ending, made.path]
    const parent = spawn(process.execPath, args, { stdio: 'inherit' })
    expect(await once(parent, 'exit')).toEqual([0, null])
  })
})

async function* on(child: ReturnType<typeof spawn>) {
  for (;;) yield await once(child, 'message')
}
