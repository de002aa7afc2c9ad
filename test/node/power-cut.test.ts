import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-power-'))
const disk = join(folder, 'disk')
const shim = pathToFileURL(resolve(import.meta.dirname, '../support/power.mjs')).href
const { NODE_OPTIONS } = process.env
afterAll(() => {
  if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = NODE_OPTIONS
  rmSync(folder, { recursive: true, force: true })
})

let running: NodeWorker | undefined
afterEach(() => running?.close('SIGKILL'))

/** Starts with the state in a folder. Everything that is synced from then on is copied to `disk`. */
async function start(from: string): Promise<NodeWorker> {
  mkdirSync(disk, { recursive: true })
  process.env.NODE_OPTIONS = `--import=${shim}`
  process.env.DISK = disk
  running = await startNodeWorker(operated, undefined, join(from, 'state.sqlite'))
  return running
}

const shop = {
  ...{ name: 'shop', title: 'Shop', access: 'key', records: false },
  databases: { main: { url: 'demo:' } },
}

const makeKey = async (worker: NodeWorker, label: string) => {
  const made = await askApi(worker, 'POST', '/api/keys', { label, endpoints: ['shop'] })
  expect(made.status).toBe(201)
  return made.json as { readonly id: string; readonly key: string }
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const statusWith = async (worker: NodeWorker, key: string) =>
  (await post(`${worker.url}/mcp/shop`, list, { authorization: `Bearer ${key}` })).status

/** The syncs so far, without those of call records, which are written after the answers. */
const syncs = () => {
  const path = join(disk, 'syncs')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  return lines.filter((it) => !it.startsWith('records-'))
}

test('acknowledged changes survive a power cut: created keys still work, and revoked keys do not', async () => {
  const live = join(folder, 'live')
  mkdirSync(live)
  const first = await start(live)
  expect((await askApi(first, 'POST', '/api/endpoints', shop)).status).toBe(201)
  const keys = await Promise.all(Array.from({ length: 12 }, (_, i) => makeKey(first, `key ${i}`)))
  const revoked = keys.slice(0, 5)
  for (const { id, key } of revoked) {
    expect(await statusWith(first, key)).toBe(200)
    expect((await askApi(first, 'DELETE', `/api/keys/${id}`)).status).toBe(204)
  }
  await first.close('SIGKILL')

  const second = await start(disk)
  const stored = (await askApi(second, 'GET', '/api/keys?limit=100')).json
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted()
  expect(ids(stored.keys)).toEqual(ids(keys.slice(5)))
  for (const { key } of revoked) expect(await statusWith(second, key)).toBe(401)
  for (const { key } of keys.slice(5)) expect(await statusWith(second, key)).toBe(200)
})

test('only answers to changes wait for the disk, and waiting answers share a sync', async () => {
  const live = join(folder, 'waiting')
  mkdirSync(live)
  const worker = await start(live)
  expect((await askApi(worker, 'POST', '/api/endpoints', shop)).status).toBe(201)
  expect(await statusWith(worker, OPERATOR_KEY)).toBe(200)

  const before = syncs().length
  const call = { ...list, method: 'tools/call', params: { name: 'list_tables', arguments: {} } }
  const authorization = `Bearer ${OPERATOR_KEY}`
  for (let i = 0; i < 20; i++) {
    expect((await post(`${worker.url}/mcp/shop`, call, { authorization })).status).toBe(200)
  }
  expect(syncs().length).toBe(before)

  writeFileSync(join(disk, 'hold'), '')
  let answered = 0
  const making = Array.from({ length: 20 }, async (_, i) => {
    await makeKey(worker, `key ${i}`)
    answered++
  })
  // Meanwhile, calls do not wait for the disk, even if their endpoint must be loaded.
  for (let i = 0; i < 10; i++) {
    const at = `${worker.url}/mcp/shop`
    expect((await post(at, { ...call, id: i })).status).toBe(401)
    expect((await post(at, { ...call, id: i }, { authorization })).status).toBe(200)
    expect(await statusWith(worker, `tg_${String(i).padStart(12, 'A')}_${'x'.repeat(40)}`)).toBe(
      401,
    )
  }
  expect(answered).toBe(0)
  rmSync(join(disk, 'hold'))
  await Promise.all(making)
  expect(syncs().length - before).toBeLessThan(20)
})
