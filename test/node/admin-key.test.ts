import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { sealWith } from '../../src/mcp/index.ts'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { post } from '../support/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-admin-key-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let running: NodeWorker[] = []
afterEach(async () => {
  await Promise.all(running.map((it) => it.close('SIGKILL')))
  running = []
})

const start = async (variables: Record<string, string>, state?: string): Promise<NodeWorker> => {
  const worker = await startNodeWorker(variables, undefined, state)
  running.push(worker)
  return worker
}

const KEY = 'the first key of the operator, 0123456789'
const NEXT_KEY = 'another key of the operator, 9876543210'
const SECRET = 'a secret of the deployment, which is long enough 42'
const NEXT_SECRET = 'another secret of the deployment, long enough 4711'
const ENDPOINTS = JSON.stringify([
  { name: 'shop', title: 'Shop', databases: { main: { url: 'demo:' } }, access: 'key' },
  { name: 'open', title: 'Open', databases: { main: { url: 'demo:' } }, access: 'public' },
])

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const clientInfo = { name: 'test', version: '1' }
const initialize = message('initialize', {
  ...{ protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
})
const many = message('tools/call', {
  name: 'query',
  arguments: { sql: 'select o.id, p.name from orders o, products p limit 900' },
})

/** Opens a session. Returns its id and the URI of a stored result. */
async function held({ url }: NodeWorker, key: string) {
  const authorization = `Bearer ${key}`
  const opened = await post(`${url}/mcp/shop`, initialize, { authorization })
  const session = opened.headers.get('mcp-session-id')!
  const more = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  const answer = await post(`${url}/mcp/shop`, many, { authorization, ...more })
  return { session, result: answer.json().result.structuredContent.result as string }
}

/** The status and the row count of a call with that session and result. */
async function goesOn({ url }: NodeWorker, key: string, { session, result }: Held) {
  const more = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  const read = message('tools/call', { name: 'query_table', arguments: { table: result } })
  const headers = { authorization: `Bearer ${key}`, ...more }
  const { status, json } = await post(`${url}/mcp/shop`, read, headers)
  return [status, status === 200 && json().result.structuredContent.rows.length]
}

type Held = Awaited<ReturnType<typeof held>>

test.each([
  { of: 'a stored random secret', secrets: [{}, {}] },
  { of: 'TIDEGATE_SECRET', secrets: [{ TIDEGATE_SECRET: SECRET }, { TIDEGATE_SECRET: SECRET }] },
  {
    of: 'TIDEGATE_SECRET, which is exchanged as well',
    secrets: [
      { TIDEGATE_SECRET: SECRET },
      { TIDEGATE_SECRET: NEXT_SECRET, TIDEGATE_SECRET_PREVIOUS: SECRET },
    ],
  },
])(
  'a new admin key ends no sessions and no stored results, which are sealed with $of',
  async ({ of, secrets: [before, after] }) => {
    const state = join(folder, `${of}.sqlite`)
    const first = await start({ ENDPOINTS, TIDEGATE_KEY: KEY, ...before }, state)
    const mine = await held(first, KEY)
    await first.close('SIGTERM')
    running = []
    const second = await start({ ENDPOINTS, TIDEGATE_KEY: NEXT_KEY, ...after }, state)
    expect(await goesOn(second, NEXT_KEY, mine)).toEqual([200, 200])
    expect((await post(`${second.url}/mcp/shop`, initialize, { authorization: KEY })).status).toBe(
      401,
    )
  },
)

test('a session id of a public endpoint reveals nothing about the admin key', async () => {
  const { url } = await start({ ENDPOINTS, TIDEGATE_KEY: KEY })
  const { headers } = await post(`${url}/mcp/open`, initialize)
  const [name = '', signature = ''] = headers.get('mcp-session-id')!.split('.')
  const signed = JSON.stringify(['session', name, '/mcp/open', undefined])
  // The attack: anyone with the id tries keys against it, without the server.
  const tried = sealWith('right')
  expect(await tried.isSigned(signed, await tried.sign(signed))).toBe(true)
  expect(await sealWith(KEY).isSigned(signed, signature)).toBe(false)
})

/** The purpose of each use of the admin key in the source. A new use fails until it is added here. */
const USES: Readonly<Record<string, readonly RegExp[]>> = {
  'it is declared': [/^readonly TIDEGATE_KEY\?: string/],
  'it is checked for being set, or for being weak': [
    /\b(?:if \(!?|\? ?|!|&& |Boolean\()?(?:c\.)?env\.TIDEGATE_KEY (?:&&|\?|!==)/,
    /Boolean\(env\.TIDEGATE_KEY && /,
    /if \(!?(?:c\.)?env\.TIDEGATE_KEY\)/,
    /if \(!TIDEGATE_KEY[ )]/,
    /isWeak\(env\.TIDEGATE_KEY!\)/,
    /(?:\|\||&&) Boolean\(env\.TIDEGATE_KEY\)$/,
    /^adminKey: env\.TIDEGATE_KEY,$/,
    /TIDEGATE_KEY \? 'set' : 'missing'/,
    /!TIDEGATE_KEY && secret\(/,
    /keyProblem\((?:c\.)?(?:env\.)?TIDEGATE_KEY\)/,
  ],
  'it is compared with the key in a request': [/equal\(.*TIDEGATE_KEY\)/],
  'its hash goes into the sealed store of the sign-in, which no client reads': [
    /hashOf\((?:env\.)?TIDEGATE_KEY\)/,
  ],
  'it is sent from this Worker to itself': [/authorization: `Bearer \$\{c\.env\.TIDEGATE_KEY\}`/],
  'it is taken from the environment': [/^const \{.*TIDEGATE_KEY.*\} = env$/, /^TIDEGATE_KEY,$/],
}

test('every use of the admin key is on the list of uses that create nothing for a client', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const unsorted = files
    .filter((file) => /\.tsx?$/.test(file))
    // The command runs on the machine of the admin, and is not part of the endpoint.
    .filter((file) => !/^command[\\/]/.test(file))
    .flatMap((file) =>
      readFileSync(join('src', file), 'utf8')
        .split('\n')
        .map((line) => ({ file, line: line.trim() })),
    )
    // Strings and comments mention it as well.
    .map(({ file, line }) => ({ file, line, code: withoutTexts(line) }))
    .filter(({ code }) => /\bTIDEGATE_KEY\b/.test(code))
    .filter(
      ({ line }) =>
        !Object.values(USES)
          .flat()
          .some((use) => use.test(line)),
    )
  expect(unsorted.map(({ file, line }) => `${file}: ${line}`)).toEqual([])
})

/** A line of source code without comments and strings. Expressions in templates stay. */
const withoutTexts = (line: string): string =>
  /^(?:\/?\*|\/\/)|<code>|<pre>|export TIDEGATE_KEY=/.test(line)
    ? ''
    : line
        .replace(/'[^']*'/g, '')
        .replace(/`[^`]*`/g, (text) => text.match(/\$\{[^}]*\}/g)?.join() ?? '')
