import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Operator, operatorAt } from '../support/operator.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { callTool, type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = '<script>alert(1)</script>'

let worker: RunningWorker
let operator: Operator
const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
const call = (name: string) =>
  callTool(
    `${worker.url}/mcp/${name}`,
    'query',
    { sql: 'select 1 as one' },
    { authorization: `Bearer ${OPERATOR_KEY}` },
  )

beforeAll(async () => {
  worker = await startWorker(operated)
  operator = await operatorAt(worker.url)
})
afterAll(() => worker.close())

/** A busy machine is not a reason to fail. */
const PATIENCE = { timeout: 60_000, interval: 500 }

await describePostgres('the list of endpoints', 'select 1', (postgres) => {
  test('explains that only the demo exists, and how to add an endpoint', async () => {
    const { status, words, text } = await operator.open('/console')
    expect(status).toBe(200)
    expect(words).toContain('So far there is only the demo store')
    expect(text).toContain('href="/console/add"')
  })

  test('shows calls, errors and states without querying a database', async () => {
    const demo = { main: { url: 'demo:' } }
    const shop = { main: { url: postgres.tcp(postgres.reader) } }
    const away = { main: { url: 'postgres://a:Planted-Passw0rd@127.0.0.1:1/x' } }
    for (const it of [
      { name: 'shop', title: HOSTILE, databases: shop },
      { name: 'away', title: 'Away', databases: away },
      { name: 'new', title: 'New', active: false, databases: demo },
      { name: 'several', title: 'Several', databases: { a: demo.main, b: away.main } },
    ]) {
      expect((await api('POST', '/api/endpoints', it)).status).toBe(201)
    }
    await call('shop')
    await call('shop')
    await call('away')
    await expect
      .poll(async () => (await operator.open('/console')).words, PATIENCE)
      .toMatch(/5 endpoints, 3 calls today, 1 failed/)
    const { text, words } = await operator.open('/console')
    expect(text).not.toContain(HOSTILE)
    expect(text).not.toContain('Planted')
    expect(words).toMatch(/Away has not answered since (?:just now|\d+ minutes? ago)/)
    expect(words).toContain('Its database cannot be reached')
    expect(text).toContain('href="/console/endpoints/away/settings"')
    expect(words).toMatch(/\/mcp\/away Not answering PostgreSQL 127\.0\.0\.1/)
    expect(words).toMatch(/\/mcp\/shop Answering PostgreSQL 127\.0\.0\.1 just now 2/)
    expect(words).toMatch(/\/mcp\/new Not finished/)
    expect(text).toContain('href="/console/add/new"')
    expect(words).toMatch(/2 databases SQLite, PostgreSQL/)
    expect(text).toContain('aria-label="2 calls, by hour"')
  })

  test('does not call a used endpoint unfinished when it is switched off', async () => {
    await api('PATCH', '/api/endpoints/shop', { active: false })
    expect((await operator.open('/console')).words).toMatch(/\/mcp\/shop Switched off/)
    await api('PATCH', '/api/endpoints/shop', { active: true })
  })

  test('tests an endpoint on request', async () => {
    const fine = await operator.submit('/console/look', { name: 'shop' })
    expect(fine.status).toBe(200)
    expect(fine.words).toContain('Refuses to write')
    expect(fine.words).toContain('All checks passed')
    expect(fine.text).not.toContain(HOSTILE)
    const away = await operator.submit('/console/look', { name: 'away' })
    expect(away.words).toContain('cannot be reached')
    expect(away.words).toContain('Failed')
    expect((await operator.submit('/console/look', { name: 'none' })).status).toBe(404)
    const { status } = await operator.send('/console/look', { name: 'shop' })
    expect(status).toBe(403)
  })

  test('can be searched by text, and has pages', async () => {
    for (let i = 0; i < 40; i++) {
      const databases = { main: { url: 'demo:' } }
      await api('POST', '/api/endpoints', { name: `many-${i}`, title: `Many ${i}`, databases })
    }
    const first = await operator.open('/console')
    expect(first.words).toContain('45 endpoints in total')
    expect(first.text.length).toBeLessThan(100_000)
    const next = /href="(\/console\?cursor=[^"]+)"/.exec(first.text)?.[1] ?? ''
    const second = await operator.open(next)
    expect(second.words).toContain('First page')
    const found = await operator.open('/console?search=MANY%201')
    expect(found.words).toContain('11 endpoints in total')
    expect((await operator.open('/console?search=%3Cb%3E')).words).toContain('No endpoints match')
    expect((await operator.open('/console?cursor=!!')).location).toBe('/console')
  })
})
