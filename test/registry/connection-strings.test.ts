import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker

const PATH = '/api/connection-strings/recognise'
const recognise = (text: unknown) => askApi(worker, 'POST', PATH, { text })

beforeAll(async () => {
  worker = await startWorker(operated)
})
afterAll(() => worker.close())

describe('a string that is pasted as a connection string', () => {
  test('is answered with the URL, which is not cached', async () => {
    const text = 'export DATABASE_URL="postgresql+asyncpg://reader:s3/same@127.0.0.1:5432/shop"'
    const { status, headers, json } = await recognise(text)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toMatchObject({
      ok: true,
      url: 'postgres://reader:s3%2Fsame@127.0.0.1:5432/shop',
      engine: 'PostgreSQL',
      host: '127.0.0.1',
      port: 5432,
      database: 'shop',
      user: 'reader',
      secretLength: 7,
      encryption: 'none',
      suggested: { name: 'shop', title: 'Shop' },
    })
    expect(json.changes.length).toBeGreaterThan(2)
    expect(json).not.toHaveProperty('fix')
    const { url: _, ...rest } = json
    expect(JSON.stringify(rest)).not.toContain('same')
  })

  test('that is invalid is answered with its fault', async () => {
    const { status, json } = await recognise('postgres://reader:[YOUR-PASSWORD]@127.0.0.1/shop')
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: false, part: 'password', engine: 'PostgreSQL' })
    expect(json.sentence).toContain('still a placeholder')
  })

  test('that leads into a private network is answered with a fix', async () => {
    const { json } = await recognise('postgres://reader:s3same@10.0.0.7/shop')
    expect(json).toMatchObject({ ok: true, host: '10.0.0.7', fix: { kind: 'private' } })
    const commands = json.fix.steps.map((it: { command?: string }) => it.command ?? '').join('\n')
    expect(commands).toContain('npx wrangler tunnel create shop')
    expect(commands).toContain('--ipv4 10.0.0.7')
    expect(commands).toContain('npx wrangler hyperdrive create shop')
    expect(commands).toContain('--database shop')
    expect(commands).toContain('--user reader --password PASSWORD')
    expect(JSON.stringify(json.fix)).not.toContain('s3same')
  })

  test('must be a string, and not longer than the API accepts', async () => {
    expect((await recognise(7)).json.error).toMatchObject({ code: 'invalid', field: 'text' })
    expect((await recognise('a'.repeat(1_000_000))).json.sentence).toContain('65,536 characters')
    expect((await recognise('a'.repeat(1_100_000))).status).toBe(413)
  })

  test('is parsed only for the operator', async () => {
    expect((await askApi(worker, 'POST', PATH, { text: 'demo:' }, {})).status).toBe(401)
  })
})
