import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApi, operated } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

let worker: RunningWorker
const ask = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)

beforeAll(async () => {
  worker = await startWorker(operated)
  for (const name of ['shop', 'crm']) {
    const databases = { main: { url: 'demo:' } }
    await ask('POST', '/api/endpoints', { name, title: name, databases })
  }
  for (const [label, endpoints, person] of [
    ['Ada, laptop', ['shop'], 'ada@example.com'],
    ['Nightly "report"', ['crm', 'shop'], undefined],
    ['50%_off', ['crm'], 'Bo@example.com'],
    ['All', ['*'], undefined],
  ] as const) {
    await ask('POST', '/api/keys', { label, endpoints, person })
  }
  for (const [name, title, endpoints] of [
    ['sales', 'Sales people', { shop: {} }],
    ['support', undefined, { crm: {}, shop: {} }],
  ] as const) {
    await ask('POST', '/api/groups', { name, title, endpoints })
  }
})
afterAll(() => worker.close())

describe('a list of keys', () => {
  test.each([
    ['endpoint=crm', ['50%_off', 'All', 'Nightly "report"']],
    ['endpoint=nothing', ['All']],
    ['search=ADA', ['Ada, laptop']],
    ['search=bo%40EXAMPLE', ['50%_off']],
    ['search=%25_', ['50%_off']],
    ['search="', ['Nightly "report"']],
    ['search=label', []],
    ['search=l&endpoint=shop', ['Ada, laptop', 'All', 'Nightly "report"']],
  ])('with %s has the matching keys, and their number', async (query, labels) => {
    const { json } = await ask('GET', `/api/keys?${query}`)
    expect(json.keys.map((it: { label: string }) => it.label).sort()).toEqual(labels)
    expect(json.total).toBe(labels.length)
  })

  test('has pages of search results', async () => {
    const labels: string[] = []
    let next = ''
    do {
      const { json } = await ask('GET', `/api/keys?endpoint=shop&limit=1${next}`)
      labels.push(...json.keys.map((it: { label: string }) => it.label))
      next = json.next ? `&cursor=${json.next}` : ''
    } while (next)
    expect(labels.sort()).toEqual(['Ada, laptop', 'All', 'Nightly "report"'])
  })
})

test.each([
  ['search=SHOP', ['shop']],
  ['search=m', ['demo', 'crm']],
  ['search=m&limit=1', ['demo']],
  ['search=m&limit=1&cursor=.1', ['crm']],
  ['search=title', []],
])('a list of endpoints with %s has the matching endpoints', async (query, names) => {
  const { json } = await ask('GET', `/api/endpoints?${query}`)
  expect(json.endpoints.map((it: { name: string }) => it.name)).toEqual(names)
})

test.each([
  ['endpoint=shop', ['sales', 'support']],
  ['endpoint=crm', ['support']],
  ['endpoint=endpoints', []],
  ['search=PEOPLE', ['sales']],
  ['search=s', ['sales', 'support']],
])('a list of groups with %s has the matching groups', async (query, names) => {
  const { json } = await ask('GET', `/api/groups?${query}`)
  expect(json.groups.map((it: { name: string }) => it.name)).toEqual(names)
  expect(json.total).toBe(names.length)
})

describe('a change to an entry that somebody else changed meanwhile', () => {
  const paths = async () => {
    const { keys } = (await ask('GET', '/api/keys?search=laptop')).json
    return [
      ['/api/endpoints/shop', { title: 'The shop' }],
      ['/api/groups/sales', { title: 'Sales' }],
      [`/api/keys/${keys[0].id}`, { label: 'Ada, old laptop' }],
    ] as const
  }

  test('is a conflict if it states its base, and a merge otherwise', async () => {
    for (const [path, patch] of await paths()) {
      const { changedAt } = (await ask('GET', path)).json
      const asked = `${path}?unchangedSince=${changedAt}`
      expect((await ask('PATCH', asked, patch)).status).toBe(200)
      const late = await ask('PATCH', asked, patch)
      expect([late.status, late.json.error.code]).toEqual([409, 'conflict'])
      expect(late.json.error.message).toContain('changed by someone else')
      expect((await ask('PATCH', path, patch)).status).toBe(200)
      expect((await ask('PATCH', `${path}?unchangedSince=now`, patch)).status).toBe(422)
    }
  })
})

describe('the doctor', () => {
  test('reports the sign-in’s faults, and which settings enable it', async () => {
    const { json } = await ask('GET', '/api/doctor')
    expect(json).toEqual({ stored: [], signIn: { state: 'missing', ways: [], problems: [] } })
    const faulty = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: 'hunter2' })
    const { json: said, text } = await askApi(faulty, 'GET', '/api/doctor')
    expect(said.signIn).toMatchObject({ state: 'faulty', ways: ['TIDEGATE_PASSPHRASE'] })
    expect(said.signIn.problems.join()).toContain('TIDEGATE_PASSPHRASE')
    expect(text).not.toContain('hunter2')
    await faulty.close()
  })

  test('has a verdict on one endpoint for each app', async () => {
    const { status, json } = await ask('GET', '/api/doctor/hosts/shop')
    expect([status, json.url]).toEqual([200, `${worker.url}/mcp/shop`])
    expect(json.hosts.map((it: { name: string }) => it.name)).toContain('Cursor')
    expect(json.findings.map((it: { id: string }) => it.id)).toContain('reach')
    expect((await ask('GET', '/api/doctor/hosts')).json.url).toBe(`${worker.url}/mcp`)
    expect((await ask('GET', '/api/doctor/hosts/nothing')).status).toBe(404)
  })
})
