import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { Objects } from '../../src/node/objects/namespace.ts'
import { openState } from '../../src/node/objects/state-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-objects-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
const woken: string[] = []

/** An object that runs the given commands on its state. */
class Told {
  readonly #state: DurableObjectState
  readonly #number = ++made

  constructor(state: DurableObjectState) {
    this.#state = state
  }

  async run(order: string, ...args: never[]): Promise<unknown> {
    const { kv, sql } = this.#state.storage
    const orders: Record<string, (...given: never[]) => unknown> = {
      number: () => this.#number,
      put: (key: string, value: unknown) => kv.put(key, value),
      get: (key: string) => kv.get(key),
      list: (options: SyncKvListOptions) => [...kv.list(options)],
      sql: (text: string, ...values: unknown[]) => sql.exec(text, ...values).toArray(),
      raw: (text: string) => [sql.exec(text).columnNames, [...sql.exec(text).raw()]],
      written: (text: string) => sql.exec(text).rowsWritten,
      one: (text: string) => sql.exec(text).one(),
      wake: (at: number) => this.#state.storage.setAlarm(at),
      clear: () => this.#state.storage.deleteAll(),
      fail: () =>
        this.#state.storage.transactionSync(() => {
          kv.put('half', 1)
          sql.exec('insert into t values (9)')
          throw new Error('No.')
        }),
    }
    return orders[order]!(...args)
  }

  async alarm(): Promise<void> {
    woken.push(String(this.#state.storage.kv.get('name')))
  }
}

const kinds = {
  ONE: { made: Told, hasTables: true },
  MANY: { made: Told, hasTables: false, forgettable: /^kept\d+$/ },
  LOOSE: { made: Told, hasTables: false, mayLoseLast: true },
}

function open(file?: string) {
  const state = openState(file && join(folder, file))
  const objects = new Objects(kinds, state, {})
  const at = (kind: keyof typeof kinds, name: string) => {
    const namespace = objects.namespace(kind)
    const stub: unknown = namespace.get(namespace.idFromName(name))
    const { run } = stub as { run(order: string, ...args: unknown[]): Promise<unknown> }
    return run
  }
  objects.start()
  const close = () => {
    objects.close()
    state.close()
  }
  return { at, close }
}

describe.each(['ONE', 'MANY'] as const)('objects of the kind %s', (kind) => {
  test('have one instance for each name, and store copies of values', async () => {
    const { at, close } = open()
    expect(await at(kind, 'a')('number')).toBe(await at(kind, 'a')('number'))
    expect(await at(kind, 'a')('number')).not.toBe(await at(kind, 'b')('number'))
    const value = { n: 2n ** 70n, at: new Date(0), bytes: new Uint8Array([1, 2]) }
    await at(kind, 'a')('put', 'x:2', value)
    for (const key of ['x:1', 'x:10', 'x_3', 'y']) await at(kind, 'a')('put', key, key)
    expect(await at(kind, 'a')('get', 'x:2')).toEqual(value)
    expect(await at(kind, 'b')('get', 'x:2')).toBeUndefined()
    const keys = async (options: object) =>
      ((await at(kind, 'a')('list', options)) as [string, unknown][]).map(([key]) => key)
    expect(await keys({ prefix: 'x:' })).toEqual(['x:1', 'x:10', 'x:2'])
    expect(await keys({ prefix: 'x:', startAfter: 'x:1', limit: 1 })).toEqual(['x:10'])
    await at(kind, 'a')('clear')
    expect(await keys({})).toEqual([])
    close()
  })

  test('wake at their time, even after a restart of the process', async () => {
    const first = open(`${kind}.sqlite`)
    await first.at(kind, 'sleeper')('put', 'name', `${kind} woke`)
    await first.at(kind, 'sleeper')('wake', Date.now() + 50)
    first.close()
    const second = open(`${kind}.sqlite`)
    await vi.waitFor(() => expect(woken).toContain(`${kind} woke`))
    expect(await second.at(kind, 'sleeper')('get', 'name')).toBe(`${kind} woke`)
    second.close()
  })
})

describe('the SQL of an object', () => {
  const { at } = open()
  const run = at('ONE', 'sql')

  test('returns rows like the platform', async () => {
    expect(await run('raw', "select 1 as a, 'x' as a, null as b, 1.5 as c")).toEqual([
      ['a', 'a', 'b', 'c'],
      [[1, 'x', null, 1.5]],
    ])
    expect(await run('sql', 'select 9007199254740993 as n, ?2 as two, ?1 as one', 1, 'b')).toEqual([
      { n: 9007199254740992, two: 'b', one: 1 },
    ])
    expect(await run('one', "select x'0102' as bytes")).toEqual({
      bytes: new Uint8Array([1, 2]).buffer,
    })
    await expect(run('one', 'select 1 where 0')).rejects.toThrow('exactly one')
  })

  test('counts the rows that it changed', async () => {
    const { at, close } = open()
    const written = (text: string) => at('ONE', 'written')('written', text)
    await written('create table t (a integer primary key)')
    expect(await written('insert into t values (1), (2), (3)')).toBe(3)
    expect(await written('insert or ignore into t values (1)')).toBe(0)
    expect(await written('delete from t where a > 1 returning a')).toBe(2)
    expect(await written('select * from t')).toBe(0)
    close()
  })

  test('changes rows, but not in a transaction that fails', async () => {
    await run('sql', 'create table t (n integer primary key)')
    await run('sql', 'insert into t values (1), (2) returning n')
    await expect(run('fail')).rejects.toThrow('No.')
    expect(await run('sql', 'select n from t')).toEqual([{ n: 1 }, { n: 2 }])
    expect(await run('get', 'half')).toBeUndefined()
  })

  test.each([
    ['select 1; select 2', [], 'multiple SQL statements'],
    ['select 1); drop table t; --', [], 'SQLITE_ERROR'],
    ['select ?', [], 'Wrong number of parameter bindings'],
    ['select \'?\', "?", ?2 /* ? */ -- ?', [1], 'Wrong number of parameter bindings'],
    ['select 1', [1], 'Wrong number of parameter bindings'],
    ['selec 1', [], 'near "selec": syntax error at offset 0: SQLITE_ERROR'],
    ['select * from nope', [], 'no such table: nope: SQLITE_ERROR'],
    ["attach ':memory:' as other", [], 'SQLITE_ERROR'],
    ['select zeroblob(3000000)', [], 'SQLITE_TOOBIG'],
    ["update sqlite_schema set sql = ''", [], 'SQLITE_ERROR'],
    ["select load_extension('x')", [], 'SQLITE_ERROR'],
  ])('refuses %s', async (sql, values, words) => {
    await expect(run('sql', sql, ...values)).rejects.toThrow(words)
  })
})

describe('the disk', async () => {
  const handle = await openFile(import.meta.filename)
  const { datasync } = Object.getPrototypeOf(handle) as { datasync(): Promise<void> }
  await handle.close()
  let syncs = 0
  const counting = vi.spyOn(Object.getPrototypeOf(handle), 'datasync')
  counting.mockImplementation(async function (this: unknown) {
    syncs++
    await datasync.call(this)
  })
  const { at, close } = open('disk.sqlite')
  afterAll(() => {
    counting.mockRestore()
    close()
  })
  const created = 'create table t (a integer primary key, b text)'
  const orders = [
    ['ONE', 0, 'sql', created],
    ['ONE', 1, 'put', 'a', 1],
    ['ONE', 0, 'get', 'a'],
    ['ONE', 1, 'sql', "insert into t values (1, 'x'), (2, 'y')"],
    ['ONE', 1, 'sql', "insert into t values (3, 'x') returning a"],
    ['ONE', 0, 'sql', 'select * from t'],
    ['ONE', 1, 'sql', "update t set b = 'z' where a = 1"],
    ['ONE', 0, 'sql', "update t set b = 'z' where a = 9"],
    ['ONE', 1, 'sql', 'delete from t where a = 1'],
    ['ONE', 1, 'wake', Date.now() + 1e9],
    ['ONE', 1, 'sql', 'drop table t'],
    ['ONE', 1, 'clear'],
    ['MANY', 1, 'put', 'a', 1],
    ['MANY', 0, 'list', {}],
    ['MANY', 1, 'clear'],
    ['LOOSE', 0, 'put', 'a', 1],
    ['LOOSE', 0, 'clear'],
  ] as const
  test('is synced before the answer to a change, but not without a change', async () => {
    await at('ONE', 'it')('number')
    for (const [kind, expected, ...order] of orders) {
      syncs = 0
      await at(kind, 'it')(...(order as unknown as [string]))
      // Alarms and tables are in different databases, so there may be two syncs.
      expect([kind, order, Math.min(syncs, 1)]).toEqual([kind, order, expected])
    }
  })

  test('is not used for changes after a sync has failed', async () => {
    const other = open('broken.sqlite')
    await other.at('MANY', 'it')('put', 'a', 1)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    counting.mockRejectedValueOnce(new Error('EIO'))
    await expect(other.at('MANY', 'it')('put', 'a', 2)).rejects.toThrow('disk')
    await expect(other.at('MANY', 'it')('get', 'a')).rejects.toThrow('disk')
    await expect(other.at('MANY', 'other')('put', 'a', 2)).rejects.toThrow('disk')
    expect(await other.at('MANY', 'third')('get', 'a')).toBeUndefined()
    vi.mocked(console.error).mockRestore()
    other.close()
  })

  test('is awaited by every kind of object in the gateway except METER', () => {
    const source = readFileSync(resolve('src/node/gateway.ts'), 'utf8')
    const loose = [...source.matchAll(/^ {2}(\w+): \{[^}]*mayLoseLast: true/gm)]
    expect(loose.map(([, kind]) => kind)).toEqual(['METER'])
  })
})

test('the least recently used objects are deleted to make room, but shared objects stay', async () => {
  const { at, close } = open()
  const value = 'x'.repeat(2 ** 20)
  await at('MANY', 'shared')('put', 'value', value)
  for (let i = 0; i < 25; i++) await at('MANY', `kept${i}`)('put', 'value', value)
  // The same value needs no more room the second time.
  for (let i = 0; i < 25; i++) await at('MANY', 'kept24')('put', 'value', value)
  expect(await at('MANY', 'kept0')('get', 'value')).toBe(value)
  for (let i = 25; i < 40; i++) await at('MANY', `kept${i}`)('put', 'value', value)
  const isThere = async (name: string) => (await at('MANY', name)('get', 'value')) !== undefined
  expect(await isThere('kept1')).toBe(false)
  expect(await isThere('kept0')).toBe(true)
  expect(await isThere('kept39')).toBe(true)
  expect(await isThere('shared')).toBe(true)
  close()
})
