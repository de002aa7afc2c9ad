import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlainWorker, startPlainWorker } from './support/plain-worker.ts'
import { REGISTRY_WORKER, rowsOf } from './support/registry-rows.ts'

/** The maximum age, in real time, of the registry data that an isolate uses. */
const BOUND_MS = 10_000

let worker: PlainWorker
let rows: ReturnType<typeof rowsOf>
beforeAll(async () => {
  worker = await startPlainWorker(
    { TIDEGATE_KEY: 'a-key-that-nobody-guesses-0123456789' },
    REGISTRY_WORKER,
  )
  rows = rowsOf(worker)
})
afterAll(() => worker.stop())

const message = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

async function send(path: string, key: string, body: string, ...more: string[]) {
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json']
  const accept = ['Accept: application/json', `X-API-Key: ${key}`]
  const answer = await worker.send([...head, ...accept, ...more], body)
  const code = /"code":(-?\d+)/.exec(answer.body)?.[1]
  return { ...answer, outcome: code ? `${answer.status} ${code}` : `${answer.status}` }
}

const initialize = message('initialize', { protocolVersion: '2025-11-25', capabilities: {} })

/** Opens a session at an endpoint, with its own key and a stream that stays open. */
async function session(name: string) {
  const { key, id, revoke } = await rows.key([name])
  const { head } = await send(`/mcp/${name}`, key, initialize)
  const header = `Mcp-Session-Id: ${/^mcp-session-id: (\S+)/im.exec(head)?.[1]}`
  const url = `http://127.0.0.1:${worker.port}/k/${key}/mcp/${name}`
  const stream = await fetch(url, {
    headers: { accept: 'text/event-stream', 'mcp-session-id': header.slice(16) },
  })
  expect(stream.status).toBe(200)
  // It also ends when the Worker is stopped.
  const ended = stream.text().catch(() => undefined)
  const ask = async (method = 'ping', params: object = {}) =>
    (await send(`/mcp/${name}`, key, message(method, params), header)).outcome
  // The response of the session's object, as if the Worker still accepted the key.
  const inside = async () => {
    const subject = `X-Subject: key:${id}`
    const path = `/test/session/mcp/${name}`
    return (await send(path, key, message('tools/list'), header, subject)).outcome
  }
  return { key, id, revoke, ended, ask, inside }
}

test('a revoked key and a disabled or removed endpoint are refused within ten seconds, in sessions too', async () => {
  for (const name of ['revoked', 'off', 'removed', 'regrouped', 'left']) await rows.endpoint(name)
  const sessions = {
    revoked: await session('revoked'),
    off: await session('off'),
    removed: await session('removed'),
    regrouped: await session('regrouped'),
    left: await session('left'),
  }
  for (const it of Object.values(sessions)) {
    expect([await it.ask(), await it.ask('tools/list'), await it.inside()]).toEqual([
      '200',
      '200',
      '200',
    ])
  }

  await sessions.revoked.revoke()
  await rows.endpoint('off', { active: false })
  await rows.order('deleteEndpoint', { name: 'removed' })
  await rows.group('team', { keys: [sessions.regrouped.id], endpoints: { off: {} } })
  await sleep(BOUND_MS)

  const outcomes: Record<string, readonly string[]> = {}
  for (const [name, it] of Object.entries(sessions))
    outcomes[name] = [await it.ask(), await it.ask('tools/list'), await it.inside()]
  expect(outcomes).toEqual({
    revoked: ['401 -32600', '401 -32600', '401 -32600'],
    off: ['403 4030', '403 4030', '403 4030'],
    // The key has lost the name of the endpoint with the endpoint.
    removed: ['403 4031', '403 4031', '403 4031'],
    regrouped: ['403 4031', '403 4031', '403 4031'],
    left: ['200', '200', '200'],
  })
  // The streams end with their next comment, except the stream of the key that is left.
  const { left, ...others } = sessions
  await Promise.all(Object.values(others).map((it) => it.ended))
  expect(await Promise.race([left.ended, Promise.resolve('open')])).toBe('open')
  expect(worker.log()).toBe('')
})
