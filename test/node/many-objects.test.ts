import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { sealWith } from '../../src/mcp/state/seal.ts'
import { signedIds } from '../../src/mcp/state/signed-ids.ts'
import { Objects } from '../../src/node/objects/namespace.ts'
import { openState } from '../../src/node/objects/state-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-many-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

let woken = 0

/** An object that wakes later, like a session. */
class Sleeper {
  readonly #storage: DurableObjectStorage

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage
  }

  async sleep(at: number): Promise<void> {
    this.#storage.kv.put('at', at)
    await this.#storage.setAlarm(at)
  }

  async alarm(): Promise<void> {
    woken++
  }

  async has(): Promise<boolean> {
    return this.#storage.kv.get('at') !== undefined
  }
}

const kinds = { MANY: { made: Sleeper, hasTables: false, forgettable: /./ } }

function open(path: string, maxBytes?: number) {
  const opened = openState(path)
  const state = { ...opened, maxBytes: maxBytes ?? opened.maxBytes }
  const objects = new Objects(kinds, state, {})
  const of = (name: string) => {
    const namespace = objects.namespace('MANY')
    return namespace.get(namespace.idFromName(name)) as unknown as Sleeper
  }
  objects.start()
  const close = () => {
    objects.close()
    state.close()
  }
  return { database: state.database, of, close }
}

/** The statements that are prepared during the work, with their query plans. */
async function plansOf(path: string, work: (opened: ReturnType<typeof open>) => Promise<void>) {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  const opened = open(path)
  await work(opened)
  const asked = [...new Set(prepare.mock.calls.map(([sql]) => sql))]
  prepare.mockRestore()
  const plans = asked.map((sql) => {
    const explained = opened.database.prepare(`explain query plan ${sql}`)
    const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
    return { sql, plan: explained.all(...values).map(({ detail }) => String(detail)) }
  })
  opened.close()
  return plans
}

/** The table reads in a plan. SQLite reports the minimum of all rows as SEARCH, with or without an index. */
const reads = (plan: readonly string[]) => plan.filter((it) => /^(?:SCAN|SEARCH) /.test(it))
const readsAll = (plan: readonly string[]) =>
  reads(plan).filter((it) => !/^SEARCH .* USING /.test(it))

test('no statement at the start reads more than one table', async () => {
  const plans = await plansOf(join(folder, 'start.sqlite'), async () => {})
  expect(plans.some(({ plan }) => readsAll(plan).length > 0)).toBe(true)
  for (const { sql, plan } of plans) {
    // A second table would be read for each row of the first.
    expect(reads(plan).length, `${sql}: ${plan}`).toBeLessThanOrEqual(1)
  }
})

test('using, waking and delaying an object never scans a whole table', async () => {
  const began = Date.now()
  const atStart = new Set(
    (await plansOf(join(folder, 'use.sqlite'), async () => {})).map(({ sql }) => sql),
  )
  const plans = await plansOf(join(folder, 'use.sqlite'), async ({ of }) => {
    await of('a').sleep(began + 1_000_000)
    await of('b').sleep(began)
    expect(await of('a').has()).toBe(true)
    await vi.waitFor(() => expect(woken).toBe(1))
  })
  const ofUse = plans.filter(({ sql }) => !atStart.has(sql))
  expect(ofUse.length).toBeGreaterThan(3)
  const next = plans.find(({ sql }) => sql.includes('min(at)'))
  for (const { sql, plan } of [...ofUse, next!])
    expect(readsAll(plan), `${sql}: ${plan}`).toEqual([])
})

test('after a start, objects without an alarm are deleted before those with one', async () => {
  const path = join(folder, 'order.sqlite')
  const first = open(path)
  const value = new Uint8Array(2_000)
  const put = first.database.prepare('insert into _cf_KV values (?, ?, ?)')
  for (let i = 0; i < 20; i++) put.run(`MANY:kept${i}`, 'value', value)
  await first.of('kept0').sleep(Date.now() + 3_000_000)
  await first.of('kept2').sleep(Date.now() + 2_000_000)
  first.close()

  const second = open(path, 20_000)
  await second.of('new').sleep(Date.now() + 4_000_000)
  expect(await second.of('kept0').has()).toBe(true)
  expect(await second.of('kept2').has()).toBe(true)
  const count = "select count(*) as n from _cf_KV where object = ? and key = 'value'"
  const kept = second.database.prepare(count)
  expect(kept.get('MANY:kept1')!.n).toBe(0)
  second.close()
})

test('the objects of one caller never displace those of others', async () => {
  const ids = signedIds(sealWith('a secret of the deployment'), 'session')
  const nameOf = async (subject: string) =>
    (
      await ids.make({
        request: new Request('http://localhost/mcp'),
        caller: { subject, scopes: [] },
      })
    ).name
  const opened = open(join(folder, 'shares.sqlite'), 30_000)
  const later = Date.now() + 3_000_000
  const ofOthers = await Promise.all(['ada', 'bob', 'cyd'].map(nameOf))
  for (const name of ofOthers) await opened.of(name).sleep(later)
  const ofOne = await Promise.all(Array.from({ length: 400 }, () => nameOf('eve')))
  for (const name of ofOne) await opened.of(name).sleep(later)
  const kept = opened.database.prepare('select 1 from _cf_KV where object = ?')
  const has = (name: string) => kept.get(`MANY:${name}`) !== undefined
  expect(ofOthers.map(has)).toEqual([true, true, true])
  // The caller with the most objects loses the oldest.
  expect([has(ofOne[0]!), has(ofOne.at(-1)!)]).toEqual([false, true])
  const { n } = opened.database.prepare('select count(*) as n from _cf_KV').get()!
  expect(Number(n)).toBeGreaterThan(150)
  opened.close()
})
