import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallRecord, idAt, SHARDS, shardName } from '../../src/registry/records/record.ts'
import { faultsAnywhere } from '../support/axe.ts'
import { callAs } from '../support/calls.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { type Operator, openConsole, operatorAt } from '../support/operator.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { anySqlite, type RunningWorker, startWorker } from '../support/worker.ts'

/** A busy machine is not a reason to fail. */
const PATIENCE = { timeout: 60_000 }

const HOSTILE = '<script>alert(1)</script>'
const TURNED = '\u202eesrever"><img src=x onerror=alert(1)>'
const LARGEST_PAGE = 100_000

const endpoint = (name: string) => ({
  ...{ name, title: `The ${name}`, databases: { db: { url: anySqlite } } },
  ...(name === 'literal' && { records: { literals: true } }),
})
const endpoints = ['shop', 'large', 'hostile', 'literal', 'quiet'].map(endpoint)

let worker: RunningWorker
let operator: Operator
beforeAll(async () => {
  const vars = { ...operated, ENDPOINTS: JSON.stringify(endpoints) }
  worker = await startWorker(vars, undefined, ['TEST_DB'])
  operator = await operatorAt(worker.url)
})
afterAll(() => worker.close())

let written = 0
const record = (endpoint: string, ago: number, more: Partial<CallRecord> = {}): CallRecord => {
  const at = Date.now() - ago
  return {
    id: `${idAt(at)}${String(written++).padStart(6, '0')}isolate0`,
    time: new Date(at).toISOString(),
    ...{ endpoint, rows: 1, bytes: 2, milliseconds: 3, outcome: 'ok' },
    ...more,
  }
}

async function write(endpoint: string, records: readonly CallRecord[]) {
  const env = await worker.env()
  for (let shard = 0; shard < SHARDS; shard++) {
    const object = env.RECORDS.get(env.RECORDS.idFromName(shardName(endpoint, shard)))
    const own = records.filter((_, i) => i % SHARDS === shard)
    await object.write({ records: own, lost: 0, retention: { count: 50_000, days: 30 } })
  }
}

const call = (endpoint: string, sql: string) =>
  callAs('modern', `${worker.url}/mcp/${endpoint}`, {
    ...{ name: 'query', args: { sql } },
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  })

/** Returns the page once it has this many calls. */
async function pageWith(path: string, calls: number) {
  const shown = async () => (await operator.open(path)).text
  const rowsIn = (text: string) => text.match(/<tr role="row" data-id/g)?.length ?? 0
  await expect.poll(async () => rowsIn(await shown()), PATIENCE).toBeGreaterThanOrEqual(calls)
  return shown()
}

describe('Activity', () => {
  const strange: Partial<CallRecord> = {
    caller: TURNED,
    client: { name: HOSTILE, version: '"\u0000' },
    tool: HOSTILE,
    outcome: 'error',
    code: HOSTILE,
    traceId: HOSTILE,
    statements: [{ database: HOSTILE, sql: `select '${TURNED}' as "${HOSTILE}"` }],
  }
  beforeAll(async () => {
    await write(
      'hostile',
      Array.from({ length: 40 }, (_, i) => record('hostile', i * 1000, strange)),
    )
  })

  test('shows content from strangers as text', async () => {
    const { text, status } = await operator.open('/console/endpoints/hostile/activity')
    expect(status).toBe(200)
    expect(text).toContain('&lt;script&gt;alert(1)')
    const id = /data-id="([^"]+)"/.exec(text)![1]!
    const one = await operator.open(`/console/activity/calls/${id}?endpoint=hostile`)
    expect(one.text).toContain('&lt;script&gt;alert(1)')
    for (const page of [text, one.text]) {
      expect(page).not.toContain('<script>alert')
      expect(page).not.toContain('<img src=x')
      expect(page.length).toBeLessThan(LARGEST_PAGE)
    }
    const asked = new URLSearchParams({
      text: HOSTILE,
      caller: TURNED,
      tool: TURNED,
      time: HOSTILE,
    })
    const filtered = await operator.open(`/console/activity?${asked}`)
    expect(filtered.status).toBe(200)
    expect(filtered.text).not.toContain('<script>alert')
    expect(filtered.text).not.toContain('<img src=x')
  })

  test('stays small with 20,000 calls that have long statements and names', async () => {
    const sql = `select '${'"&<>'.repeat(900)}'`
    const many = Array.from({ length: 20_000 }, (_, i) =>
      record('large', i * 4_000, {
        caller: `${'"'.repeat(150)}${i % 300}`,
        client: { name: '<'.repeat(80), version: '>'.repeat(80) },
        tool: '&'.repeat(80),
        statements:
          i % 100 === 0 ? [{ database: 'db', sql }] : [{ database: 'db', sql: 'select 1' }],
        milliseconds: i % 3_000,
      }),
    )
    await write('large', many)
    const { text } = await operator.open('/console/endpoints/large/activity?time=30d')
    expect(text).toContain('20,000')
    expect(text.length).toBeLessThan(LARGEST_PAGE)
    const older = /href="([^"]*cursor=[^"]*)">Older/.exec(text)![1]!.replaceAll('&amp;', '&')
    const second = (await operator.open(older)).text
    expect(second).toContain('>Newest</a>')
    const idsOf = (page: string) => [...page.matchAll(/data-id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set([...idsOf(text), ...idsOf(second)]).size).toBe(60)
    expect([...idsOf(text), ...idsOf(second)].toSorted().reverse()).toEqual([
      ...idsOf(text),
      ...idsOf(second),
    ])
  })

  test('can be filtered without script, along with its charts', async () => {
    await write('shop', [
      record('shop', 5_000, { caller: 'ada', tool: 'query', outcome: 'refused', code: 'refused' }),
      record('shop', 6_000, { caller: 'bob', tool: 'list_tables', client: { name: 'Cursor' } }),
      record('shop', 2 * 86_400_000, { caller: 'bob', tool: 'list_tables' }),
    ])
    const shown = async (query: string) => {
      const { text } = await operator.open(`/console/endpoints/shop/activity?${query}`)
      const whole = /<span class="figure">([\d,–]+)<\/span>/.exec(text)![1]
      return [text.match(/data-id=/g)?.length ?? 0, whole]
    }
    expect(await shown('')).toEqual([2, '2'])
    expect(await shown('time=7d')).toEqual([3, '3'])
    expect(await shown('caller=ada')).toEqual([1, '1'])
    expect(await shown('tool=list_tables&time=7d')).toEqual([2, '2'])
    expect(await shown('client=Cursor')).toEqual([1, '1'])
    expect(await shown('outcome=refused')).toEqual([1, '1'])
    expect(await shown('caller=nobody')).toEqual([0, '0'])
  })

  test('links a call to the Workbench, and says if its values are not stored', async () => {
    await call('literal', "select 'planted' as a where 1 = 1")
    await call('shop', 'select 7 as without')
    const opened = async (endpoint: string) => {
      const text = await pageWith(`/console/activity?endpoint=${endpoint}&text=select`, 1)
      const href = /<a class="sql"[^>]*href="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
      const { location } = await operator.open(href)
      const to = new URL(location!, worker.url)
      const workbench = (await operator.open(location!)).words
      expect(workbench).toContain(JSON.parse(to.searchParams.get('arguments')!).sql)
      expect(workbench.includes('Enter one for each ? in the statement')).toBe(
        to.searchParams.get('values') === 'left-out',
      )
      const one = await operator.open(href.replace('/open?', '?'))
      return {
        ...{ path: to.pathname, tool: to.searchParams.get('tool') },
        given: JSON.parse(to.searchParams.get('arguments')!),
        isLeftOut: to.searchParams.get('values') === 'left-out',
        isKept: !one.text.includes('Its values are not stored'),
      }
    }
    expect(await opened('literal')).toEqual({
      ...{
        path: '/console/endpoints/literal/workbench',
        tool: 'query',
        isLeftOut: false,
        isKept: true,
      },
      given: { sql: "select 'planted' as a where 1 = 1" },
    })
    expect(await opened('shop')).toEqual({
      ...{
        path: '/console/endpoints/shop/workbench',
        tool: 'query',
        isLeftOut: true,
        isKept: false,
      },
      given: { sql: 'select ? as without' },
    })
  })

  test('exports the requested calls, but only to a signed-in operator', async () => {
    const path = '/console/endpoints/shop/activity/export?tool=list_tables&time=7d'
    const { text, headers } = await operator.open(path)
    expect(headers.get('content-type')).toBe('application/jsonl')
    expect(headers.get('content-disposition')).toContain('attachment')
    const lines = text
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(lines.map((it) => it.tool)).toEqual(['list_tables', 'list_tables'])
    const stranger = await fetch(worker.url + path, { redirect: 'manual' })
    expect(stranger.status).toBe(303)
    expect((await operator.open('/console/activity/export')).status).toBe(422)
  })

  test('shows changes', async () => {
    const made = { label: `${HOSTILE}\u202e`, endpoints: ['shop'] }
    expect((await askApi(worker, 'POST', '/api/keys', made)).status).toBe(201)
    const { text } = await operator.open('/console/activity/changes')
    expect(text).toContain('made key &lt;script&gt;alert(1)&lt;/script&gt;  for shop')
    expect(text).not.toContain('<script>alert')
    const own = await operator.open('/console/endpoints/shop/activity/changes')
    expect(own.text).toContain('No changes yet.')
  })

  test('reports that a call, an endpoint or a page does not exist', async () => {
    const status = async (path: string) => (await operator.open(`/console/${path}`)).status
    expect(await status('activity/calls/0mwrkvt680000?endpoint=shop')).toBe(404)
    expect(await status('activity/calls/nothing?endpoint=nothing')).toBe(404)
    expect(await status('endpoints/nothing/activity')).toBe(404)
    const { text } = await operator.open('/console/activity?cursor=x')
    expect(text).toContain('cursor is not from a list')
  })
})

test('asks for one endpoint if there are too many to show', async () => {
  const many = Array.from({ length: 60 }, (_, i) => endpoint(`shop${i}`))
  const vars = { ...operated, ENDPOINTS: JSON.stringify(many) }
  const other = await startWorker(vars, undefined, ['TEST_DB'])
  const { text } = await (await operatorAt(other.url)).open('/console/activity')
  expect(text).toContain('There are too many endpoints to show all of them. Select one above.')
  expect(text).toContain('<option value="shop7">')
  expect(text).not.toContain('data-rows')
  await other.close()
})

const browser = await chromiumForTests()
afterAll(() => browser?.close())

describe.skipIf(!browser)('Activity in a browser', () => {
  async function visited(path: string) {
    const page = await browser!.newPage({ viewport: { width: 1200, height: 800 } })
    const said: string[] = []
    page.on('pageerror', (error) => said.push(error.message))
    page.on('console', (message) => said.push(message.text()))
    await openConsole(page, worker.url, path)
    const rows = page.locator('#calls tr')
    return { page, rows, said }
  }

  test('shows a new call first, without a reload', async () => {
    const { page, rows, said } = await visited('/console/activity?endpoint=shop')
    await page.evaluate('globalThis.isKept = true')
    const before = await rows.count()
    await call('shop', 'select 1 as appears')
    await expect.poll(() => rows.count(), PATIENCE).toBe(before + 1)
    expect(await rows.first().textContent()).toContain('select ? as appears')
    expect(await page.evaluate('globalThis.isKept')).toBe(true)
    expect(await page.locator('#live-said').textContent()).toBe('Live')
    expect(said).toEqual([])
    await page.close()
  })

  test('shows the very first call on an empty page', async () => {
    const { page, rows } = await visited('/console/endpoints/quiet/activity')
    expect(await page.locator('#no-calls').textContent()).toContain('No calls in this time range.')
    expect(await page.locator('#calls-panel').isVisible()).toBe(false)
    await call('quiet', 'select 1 as first')
    await expect.poll(() => rows.count(), PATIENCE).toBe(1)
    expect(await rows.first().isVisible()).toBe(true)
    expect(await page.locator('#no-calls').count()).toBe(0)
    await page.close()
  })

  test('holds new calls behind a button while somebody reads the list', async () => {
    const { page, rows } = await visited('/console/endpoints/hostile/activity')
    await rows.nth(3).hover()
    const before = await rows.count()
    const button = page.locator('#live-new')
    await call('hostile', 'select 1 as waits')
    await expect.poll(() => button.textContent(), PATIENCE).toBe('Show 1 new call')
    expect(await rows.count()).toBe(before)
    await button.click()
    expect(await rows.first().textContent()).toContain('as waits')
    expect(await button.isVisible()).toBe(false)
    expect(await page.locator(':focus').textContent()).toBe('Calls')
    await page.close()
  })

  test('updates the charts, and keeps open details open', async () => {
    const { page } = await visited('/console/endpoints/quiet/activity')
    const table = page.locator('#figures-table')
    await table.locator('summary').click()
    await page.locator('h1').click()
    const calls = page.locator('#figures .figure').first()
    const before = Number(await calls.textContent())
    await call('quiet', 'select 1 as charted')
    await page.clock.install()
    await page.clock.runFor(1)
    const later = async () => {
      await page.clock.runFor(2_000)
      return Number(await calls.textContent())
    }
    await expect.poll(later, PATIENCE).toBe(before + 1)
    expect(await table.getAttribute('open')).not.toBeNull()
    await page.close()
  })

  test('sends no requests while it is hidden or paused', async () => {
    const { page } = await visited('/console/activity?endpoint=shop')
    await page.clock.install()
    let asks = 0
    let answers = 0
    page.on('request', (it) => {
      if (it.url().includes('/rows')) asks++
    })
    page.on('requestfinished', (it) => {
      if (it.url().includes('/rows')) answers++
    })
    await page.reload()
    /** Waits a minute, until every request is answered and the next one would be due. */
    const aMinuteLater = async () => {
      for (let i = 0; i < 3; i++) {
        await page.evaluate("fetch('/favicon.svg').then((it) => it.text())")
        await expect.poll(() => answers, PATIENCE).toBe(asks)
        await page.evaluate("fetch('/favicon.svg').then((it) => it.text())")
        await page.clock.runFor(20_000)
      }
      await page.evaluate("fetch('/favicon.svg').then((it) => it.text())")
    }
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await setHidden(true)
    const before = asks
    await aMinuteLater()
    expect(asks).toBe(before)
    await setHidden(false)
    await expect.poll(() => asks, PATIENCE).toBe(before + 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    expect(await page.locator('#live-said').textContent()).toBe('Paused')
    await aMinuteLater()
    expect(asks).toBe(before + 1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => asks, PATIENCE).toBe(before + 2)
    await page.close()
  })

  test('says when the session has ended', async () => {
    const { page } = await visited('/console/activity?endpoint=shop')
    await page.context().clearCookies()
    const said = page.locator('#live-said')
    await expect.poll(() => said.textContent(), PATIENCE).toContain('Your session has ended')
    await page.close()
  })

  test.each([
    '/console/activity',
    '/console/endpoints/hostile/activity?outcome=error',
    '/console/endpoints/literal/activity?caller=nobody',
    '/console/activity/changes',
  ])('shows %s without accessibility faults, and fits a phone', async (path) => {
    const { page, said } = await visited(path)
    for (const it of await page.locator('details > summary').all()) await it.click()
    expect(await faultsAnywhere(page)).toEqual([])
    expect(said).toEqual([])
    await page.close()
  })
})
