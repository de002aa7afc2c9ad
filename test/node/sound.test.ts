import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { askApi, operated } from '../support/registry-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-sound-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0

/** A state with one endpoint, whose process has ended. */
async function stored(): Promise<string> {
  const state = join(folder, `${++files}.sqlite`)
  const worker = await startNodeWorker(operated, undefined, state)
  const body = { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } } }
  expect((await askApi(worker, 'POST', '/api/endpoints', body)).status).toBe(201)
  await worker.close()
  return state
}

const registryOf = (state: string) => {
  const name = readdirSync(`${state}.objects`).find((it) => /^registry-.*\.sqlite$/.test(it))
  return join(`${state}.objects`, name!)
}

const restarted = (state: string): Promise<NodeWorker> =>
  startNodeWorker(operated, undefined, state)

/** Overwrites all pages but the first, like a failing disk. */
function spoil(path: string): void {
  const bytes = readFileSync(path)
  expect(bytes.length).toBeGreaterThan(4096)
  writeFileSync(path, bytes.fill(0xa5, 4096))
}

function write(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

test('an intact state is served', async () => {
  const worker = await restarted(await stored())
  expect((await askApi(worker, 'GET', '/api/endpoints/shop')).status).toBe(200)
  expect((await fetch(`${worker.url}/ready`)).status).toBe(200)
  await worker.close()
})

const FAULTS: readonly (readonly [string, (state: string) => void, string])[] = [
  ['a registry with damaged pages', (it) => spoil(registryOf(it)), 'is damaged'],
  ['a state file with damaged pages', spoil, 'is damaged'],
  [
    'a registry that is not a database',
    (it) => writeFileSync(registryOf(it), 'x'.repeat(8192)),
    'is damaged',
  ],
  [
    'a registry from a newer version',
    (it) => write(registryOf(it), 'update state_version set version = 2'),
    'was written by a newer Tidegate: it has state version 2',
  ],
  [
    'a state file from a newer version',
    (it) => write(it, 'pragma user_version = 2'),
    'was written by a newer Tidegate: it has state version 2',
  ],
]

test.each(FAULTS)('%s is refused at startup, with a clear error', async (_, harm, words) => {
  const state = await stored()
  harm(state)
  await expect(restarted(state)).rejects.toThrow(words)
})

test('a state without a version, from older code, is served and gets a version', async () => {
  const state = await stored()
  write(registryOf(state), 'drop table state_version')
  write(state, 'pragma user_version = 0')
  const worker = await restarted(state)
  expect((await askApi(worker, 'GET', '/api/endpoints/shop')).status).toBe(200)
  await worker.close()
  const database = new DatabaseSync(registryOf(state))
  expect(database.prepare('select version from state_version').all()).toMatchObject([
    { version: 1 },
  ])
  database.close()
})
