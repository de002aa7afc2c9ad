import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { type Spawned, spawned } from '../support/spawned.ts'
import { callTool } from '../support/worker.ts'

const hrana = await startHrana(['create table t (n integer)', 'insert into t values (42)'])
afterAll(() => hrana.close())

const KEY = 'a-key-of-the-operator'
const ORIGIN = ['--origin', 'https://mcp.example.com']
const PRIVATE = 'postgres://reader:s3same@10.0.0.7/shop'
const SOCKET = 'host=/run/nowhere dbname=shop'

let command: Spawned | undefined
afterEach(async () => {
  command?.child.kill('SIGTERM')
  await command?.over
})

/** Serves a database on this machine. Returns a function that recognizes a connection string. */
async function served(args: readonly string[], vars: Record<string, string> = {}) {
  const DATABASE_URL = `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`
  const it = spawned(['serve', '--port', '0', ...args], {
    DATABASE_URL,
    TIDEGATE_KEY: KEY,
    ...vars,
  })
  command = it
  await expect.poll(it.logs, { timeout: 60_000 }).toContain('Serves http')
  const isBehind = args.includes('--proxied')
  if (isBehind) await expect.poll(it.logs).toContain('It listens on http')
  const place = isBehind
    ? /listens on http:\/\/\S+:(\d+)/.exec(it.logs())
    : /Serves http:\/\/\S+:(\d+)\/mcp/.exec(it.logs())
  const url = `http://127.0.0.1:${place?.[1]}`
  const asProxy = isBehind ? { 'x-forwarded-host': 'mcp.example.com' } : {}
  const authorization = `Bearer ${KEY}`
  const { structuredContent } = await callTool(
    `${url}/mcp`,
    'query',
    { sql: 'select n from t' },
    { authorization, ...asProxy },
  )
  // The database in the configuration can be anywhere.
  expect(structuredContent.rows).toEqual([[42]])
  return async (text: string) => {
    const response = await fetch(`${url}/api/connection-strings/recognise`, {
      method: 'POST',
      headers: { authorization, ...asProxy, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    return await response.json()
  }
}

describe('a connection string that is entered in a gateway', () => {
  test.each([
    [[], {}],
    [['--host', 'localhost'], {}],
    [['--host', '0.0.0.0'], { PRIVATE_HOSTS: '*' }],
    [['--proxied', ...ORIGIN], { PRIVATE_HOSTS: '*' }],
  ])('can be private on loopback, or if PRIVATE_HOSTS allows it: %j %j', async (args, vars) => {
    const read = await served(args, vars as Record<string, string>)
    const found = await read(PRIVATE)
    expect(found).toMatchObject({ ok: true })
    expect(found).not.toHaveProperty('fix')
    expect(await read(SOCKET)).toMatchObject({ ok: true })
  })

  test.each([
    [['--host', '0.0.0.0'], {}],
    [['--host', '::'], {}],
    [['--proxied', ...ORIGIN], {}],
    [[], { PRIVATE_HOSTS: 'db.internal' }],
  ])('cannot be private otherwise: %j %j', async (args, vars) => {
    const read = await served(args, vars as Record<string, string>)
    expect(await read(PRIVATE)).toMatchObject({ ok: true, fix: { kind: 'private' } })
    expect(await read(SOCKET)).toMatchObject({ ok: false, part: 'host' })
  })
})
