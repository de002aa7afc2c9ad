import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callAs, recordsOf } from './support/calls.ts'
import { askApi, operated } from './support/registry-api.ts'
import { type RunningWorker, startWorker } from './support/worker.ts'

vi.mock('cloudflare:workers', () => ({
  DurableObject: class {},
  WorkerEntrypoint: class {},
  waitUntil: () => {},
}))

/** How rows can leave through a route, or why they cannot. A new route needs an entry. */
type Way =
  | 'a call' // The call of a tool: its rights, limits, records and trace are tested below.
  | 'for the operator' // Behind TIDEGATE_KEY: an operator can see everything.
  | 'of no database' // It opens none.

const ROUTES: Readonly<Record<string, Way>> = {
  'ALL /*': 'of no database',
  'ALL /authorize': 'of no database',
  'ALL /signin': 'of no database',
  'ALL /signin/*': 'of no database',
  'ALL /signout': 'of no database',
  // It makes calls as the operator, and uses the API.
  'ALL /console': 'for the operator',
  'ALL /console/*': 'for the operator',
  'ALL /k/*': 'of no database',
  'ALL /token': 'of no database',
  'ALL /register': 'of no database',
  'ALL /.well-known/*': 'of no database',
  'ALL /mcp/.well-known/*': 'of no database',
  'GET /doctor': 'of no database',
  'GET /doctor/:endpoint': 'of no database',
  'GET /': 'of no database',
  'GET /setup': 'of no database',
  'GET /favicon.svg': 'of no database',
  'GET /assets/*': 'of no database',
  'GET /health': 'of no database',
  // With ?databases it checks roles, only for the operator.
  'GET /ready': 'of no database',
  'GET /metrics': 'of no database',
  'ALL /mcp': 'a call',
  'ALL /mcp/:endpoint': 'a call',
  // It checks roles. The report on the demo is public, and the same everywhere.
  'ALL /doctor': 'for the operator',
  'ALL /doctor/:endpoint': 'for the operator',
  'ALL /api/*': 'for the operator',
  'GET /record/:endpoint/:id{.+}': 'a call',
  'POST /register': 'of no database',
  'ALL /sse': 'a call',
}

/** The functions that the API needs from a deployment, and whether they open a database, for roles, names and plans. */
const ASKED_BY_API: Readonly<Record<string, 'opens' | 'opens nothing'>> = {
  ...{ by: 'opens nothing', configured: 'opens nothing', isOnlyDemo: 'opens nothing' },
  ...{ ask: 'opens nothing', change: 'opens nothing', signIns: 'opens nothing' },
  ...{ objects: 'opens nothing', secrets: 'opens nothing', machine: 'opens nothing' },
  ...{ privateHosts: 'opens nothing', check: 'opens nothing', health: 'opens nothing' },
  metrics: 'opens nothing',
  ...{ report: 'opens', look: 'opens', view: 'opens', preview: 'opens' },
  ...{ diagnose: 'opens', diagnoseInStages: 'opens', hostTest: 'opens' },
}

/** The files outside of src/database/ that open a database, and the reason why their rows cannot leave. */
const OPENERS: Readonly<Record<string, string>> = {
  'src/gateway/open/endpoint-database.ts': 'opens for the files below, and runs their statements',
  'src/gateway/open/open-database.ts': 'finds the database of a URL, and runs no query',
  'src/gateway/open/pipeline.ts': 'opens for the files below, and records the statements of a call',
  'src/gateway/index.ts': 'opens none: it finds the databases of an endpoint for its tools',
  'src/gateway/tools/database-tool.ts': 'a call, by its asker',
  'src/gateway/tools/search-rows.ts': 'a call, by its asker',
  'src/gateway/schema/schema-resource.ts': 'a call, by its asker; lists read the catalog',
  'src/gateway/tools/tool-set.ts': 'checks statements with the guard, and runs none',
  'src/gateway/questions/question-look.ts': 'plans statements, and stores only whether that works',
  'src/gateway/schema/schema-changes.ts': 'stores a fingerprint of the catalog',
  'src/gateway/open/group-report.ts': 'reads the catalog, for the operator',
  'src/gateway/diagnose/diagnosis.ts': 'checks the role, for the operator',
  'src/gateway/diagnose/staged-diagnosis.ts': 'checks the role, for the operator',
  'src/gateway/schema/schema-view.ts': 'reads the catalog, for the operator',
  'src/registry/api/connection.ts': 'finds the engine of a URL, and opens none',
  'src/command/run/database-url.ts': 'finds the engine of a URL, and opens none',
}

/** The background jobs. None of them opens a database. */
const JOBS: readonly string[] = [
  'src/auth/server/object.ts',
  'src/mcp/durable/object.ts',
  'src/mcp/durable/object-roles.ts',
  'src/registry/limits/object.ts',
  'src/registry/records/object.ts',
]

const root = join(import.meta.dirname, '..')
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

describe('every way to rows', () => {
  test('through a route of the app is listed', async () => {
    const { app } = await import('../src/door/app.ts')
    const routes = [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))]
    expect(routes.length).toBeGreaterThan(20)
    expect(routes.filter((it) => !(it in ROUTES))).toEqual([])
  })

  test('through the API is listed', () => {
    const [, members = ''] =
      /^export interface ApiContext \{\n([\s\S]*?)^\}/m.exec(
        textOf('src/registry/api/surroundings.ts'),
      ) ?? []
    const names = [...code(members).matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, it]) => it)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((it) => !(it! in ASKED_BY_API))).toEqual([])
    expect(Object.keys(ASKED_BY_API).filter((it) => !names.includes(it))).toEqual([])
  })

  test('begins in a listed file', () => {
    const OPENS =
      /(?<![#\w.])(?:locate|locateLater|located|locateAll)\(|(?<!this|indexedDB)\.open\(/
    const room =
      /^src\/(?:gateway|registry\/(?!credential-keys|limits|records)|node|command|door|[^/]+\.ts)/
    const found = sources.filter((it) => room.test(it) && OPENS.test(code(textOf(it))))
    expect(found.filter((it) => !(it in OPENERS) && !NO_DATABASE.includes(it))).toEqual([])
    expect(Object.keys(OPENERS).filter((it) => !found.includes(it))).toEqual([])
  })

  test('passes its caller to the database if it is a call', () => {
    for (const [path, why] of Object.entries(OPENERS)) {
      const passes = /\.open\(asker/.test(textOf(path))
      expect([path, passes && !/pipeline|endpoint-database/.test(path)]).toEqual([
        path,
        why.startsWith('a call'),
      ])
    }
  })

  test('is not one of the background jobs', () => {
    const found = sources.filter((it) => /\balarm\(\)|\bscheduled\(/.test(code(textOf(it))))
    expect(found.filter((it) => !JOBS.includes(it) && !it.startsWith('src/node/objects/'))).toEqual(
      [],
    )
    for (const it of JOBS) expect(textOf(it)).not.toMatch(/gateway|database/)
  })
})

/** Files whose `.open(` opens something else: an envelope, a file, a socket. */
const NO_DATABASE: readonly string[] = [
  ...['src/gateway/answer/kept-results.ts', 'src/node/objects/namespace.ts'],
  ...['src/registry/api/credentials.ts', 'src/registry/api/fix.ts'],
  ...['src/registry/state/open-credential.ts', 'src/registry/state/readiness.ts'],
]

/** A source without its comments. */
const code = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`

/** Each way that is a call: requests the row of a product, and returns the response. */
const CALLS: Readonly<
  Record<string, (url: string, name: string, headers: Record<string, string>) => Promise<Got>>
> = {
  'tools/call, modern': async (url, name, headers) =>
    gotOf(await callAs('modern', `${url}/mcp/${name}`, { ...FETCH, headers })),
  'tools/call, in a session': async (url, name, headers) =>
    gotOf(await callAs('legacy', `${url}/mcp/${name}`, { ...FETCH, headers })),
  'the page of a record': async (url, name, headers) => {
    const answer = await fetch(`${url}/record/${name}/demo/products/1`, { headers })
    return { status: answer.status, text: await answer.text() }
  },
}

const FETCH = { name: 'fetch', args: { id: 'demo/products/1' } }

interface Got {
  readonly status: number
  readonly text: string
}

const gotOf = ({ status, text }: Got): Got => ({ status, text })

describe('each way to rows', () => {
  const spans: string[] = []
  const collector = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/v1/traces') spans.push(body)
    response.end('{}')
  })
  const search = [{ table: 'products', title: 'name', text: ['name'] }]
  const endpoint = (name: string, more: object = {}) => ({
    ...{ name, title: name, databases: { demo: { url: 'demo:' } }, search },
    ...more,
  })
  let worker: RunningWorker
  let teams: Record<string, string>

  beforeAll(async () => {
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    const { port } = collector.address() as AddressInfo
    const names = Object.keys(CALLS)
    worker = await startWorker({
      ...operated,
      ENDPOINTS: JSON.stringify([
        endpoint('shop'),
        ...names.map((_, i) => endpoint(`rows${i}`, { limits: { caller: { rowsPerDay: 1 } } })),
        ...names.map((_, i) =>
          endpoint(`rate${i}`, { limits: { caller: { callsPerMinute: 10 } } }),
        ),
        ...names.map((_, i) => endpoint(`noted${i}`)),
      ]),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    })
    const make = async (group: string, rules: object) => {
      const key = await askApi(worker, 'POST', '/api/keys', { label: group, endpoints: ['*'] })
      const made = await askApi(worker, 'POST', '/api/groups', {
        ...{ name: group, keys: [key.json.id], endpoints: { shop: rules } },
      })
      expect([key.status, made.status, made.text]).toEqual([201, 201, made.text])
      return key.json.key as string
    }
    teams = {
      whole: await make('whole', {}),
      toolless: await make('toolless', { tools: ['list_tables'] }),
      narrow: await make('narrow', { databases: { demo: { tables: { products: ['id'] } } } }),
      elsewhere: await make('elsewhere', { databases: { demo: { tables: { orders: true } } } }),
    }
  })
  afterAll(async () => {
    await worker.close()
    collector.close()
  })

  const bearer = (key: string) => ({ authorization: `Bearer ${key}`, traceparent })
  test('of the API is only for the operator', async () => {
    const { routes } = await import('../src/registry/api/index.ts')
    expect(routes.length).toBeGreaterThan(30)
    for (const { method, path } of routes) {
      const named = path.replaceAll(/\{\w+\}/g, 'shop')
      const asked = [undefined, teams.whole, 'tg_wrong'].map(async (key) => {
        const headers = key === undefined ? {} : bearer(key)
        return (await askApi(worker, method.toUpperCase(), named, undefined, headers)).status
      })
      expect([path, await Promise.all(asked)]).toEqual([path, [401, 403, 401]])
    }
  })

  const ROW = /name: /

  describe.each(Object.entries(CALLS))('%s', (way, ask) => {
    const nth = Object.keys(CALLS).indexOf(way)

    test('gives rows only to callers who may read them', async () => {
      const at = (key: string, name = 'shop') => ask(worker.url, name, bearer(key))
      expect((await at(teams.whole!)).text).toMatch(ROW)
      for (const team of ['toolless', 'narrow', 'elsewhere']) {
        const { text } = await at(teams[team]!)
        expect([team, ROW.test(text)]).toEqual([team, false])
      }
      // A group without this endpoint, a wrong key, and no key.
      for (const got of [
        await at(teams.whole!, 'rows0'),
        await at('tg_wrong'),
        await ask(worker.url, 'shop', {}),
      ]) {
        expect([401, 403]).toContain(got.status)
        expect(got.text).not.toMatch(ROW)
      }
    })

    test('counts rows toward its caller’s daily limit', async () => {
      const headers = bearer(operated.TIDEGATE_KEY)
      expect((await ask(worker.url, `rows${nth}`, headers)).text).toMatch(ROW)
      await expect
        .poll(async () => (await ask(worker.url, `rows${nth}`, headers)).text, { timeout: 60_000 })
        .toContain('may read 1 rows a day')
    })

    test('counts calls toward its caller’s limit per minute', async () => {
      const headers = bearer(operated.TIDEGATE_KEY)
      // The count can start again in between, but not twice.
      const asked: Got[] = []
      for (let n = 0; n < 21; n++) asked.push(await ask(worker.url, `rate${nth}`, headers))
      expect(asked.some(({ status }) => status === 429)).toBe(true)
      expect(asked[0]!.text).toMatch(ROW)
    })

    test('is in the call log, and is a span in its client’s trace', async () => {
      spans.length = 0
      await ask(worker.url, `noted${nth}`, bearer(operated.TIDEGATE_KEY))
      const { records } = await recordsOf(worker, `noted${nth}`, 1)
      expect(records[0]).toMatchObject({
        ...{ caller: 'key', tool: 'fetch', rows: 1, outcome: 'ok', traceId: TRACE },
        statements: [{ database: 'demo' }],
      })
      await expect.poll(() => spans.join(''), { timeout: 60_000 }).toContain(`noted${nth}`)
      expect(spans.join('')).toContain(TRACE)
    })
  })
})
