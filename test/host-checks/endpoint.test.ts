import { describe, expect, test } from 'vitest'
import type { ExamineIo } from '../../src/host-checks/index.ts'
import { oauthHost, otherwise, page, type Wrong } from '../servers/oauth-host.ts'
import {
  ALL,
  answering,
  CHATGPT,
  CLAUDE,
  CODEX,
  examined,
  ORIGIN,
  REMOTE,
  RESOURCE,
  type Row,
  SERVER,
  shutOut,
  troubles,
  VSCODE,
  wrongHost,
} from '../support/host-checks.ts'

const rpc = (value: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...value })

/** Servers without a sign-in that are wrong in one way. */
const open: Row[] = [
  [
    'supports only older revisions',
    answering('POST server/discover', { body: rpc({ error: { code: -32601, message: 'x' } }) }),
    ['note discover'],
    [],
  ],
  [
    'answers an unknown method with 400',
    answering('POST server/discover', { status: 400, body: 'no' }),
    ['note discover'],
    [],
  ],
  [
    'answers an unknown method with 500',
    answering('POST server/discover', { status: 500, body: 'no' }),
    ['problem discover'],
    [],
  ],
  ['answers GET with a page', { answers: { 'GET /mcp': () => page() } }, ['problem get'], [VSCODE]],
  [
    'requires a key for GET',
    answering('GET /mcp', { status: 401 }),
    ['problem get'],
    [CODEX, VSCODE, REMOTE],
  ],
  ['answers GET with 404', answering('GET /mcp', { status: 404 }), ['note get'], []],
  ['requires a key for HEAD', answering('HEAD /mcp', { status: 401 }), ['problem head'], []],
  [
    'answers notifications with a message',
    answering('POST notifications/initialized', { status: 200, body: '{}' }),
    ['problem notification'],
    [CODEX],
  ],
  [
    'answers notifications with a Content-Type',
    answering('POST notifications/initialized', {
      headers: { 'content-type': 'application/json' },
    }),
    ['note notification'],
    [],
  ],
  [
    'refuses notifications',
    answering('POST notifications/initialized', { status: 400 }),
    ['problem notification'],
    ALL,
  ],
  [
    'cannot list its tools',
    answering('POST tools/list', { body: rpc({ error: { code: -32603, message: 'x' } }) }),
    ['problem tools'],
    ALL,
  ],
  ['loses its sessions', answering('POST tools/list', { status: 404 }), ['problem tools'], ALL],
  [
    'has no tools',
    answering('POST tools/list', { body: rpc({ result: { tools: [] } }) }),
    ['note tools'],
    [],
  ],
  [
    'has a tool without hints',
    { tools: [{ name: 'x', title: 'X', inputSchema: { type: 'object' } }] },
    ['note annotations'],
    [],
  ],
  [
    'has a tool without a title',
    {
      tools: [{ name: 'x', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    },
    ['note annotations'],
    [],
  ],
  [
    'has a tool with a dot in its name',
    {
      tools: [
        {
          name: 'x.y',
          title: 'X',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
        },
      ],
    },
    ['problem tool-shapes'],
    [],
  ],
  [
    'has a tool without a name',
    {
      tools: [{ title: 'X', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    },
    ['problem tool-shapes'],
    [],
  ],
  [
    'has a tool with anyOf in its input schema',
    {
      tools: [
        {
          name: 'x',
          title: 'X',
          inputSchema: { type: 'object', anyOf: [] },
          annotations: { readOnlyHint: true },
        },
      ],
    },
    ['problem tool-shapes'],
    [],
  ],
  [
    'is next to endpoints with a sign-in',
    answering(`GET ${SERVER}`, { status: 200, body: '{}' }),
    [],
    [],
  ],
  [
    'describes a sign-in that it does not require',
    answering(`GET ${RESOURCE}`, { status: 200, body: '{}' }),
    ['note open-metadata'],
    [],
  ],
]

/** Servers with a sign-in whose endpoint is wrong in one way. */
const closed: Row[] = [
  [
    'answers server/discover with 200',
    answering('POST server/discover', { status: 200, body: '{}' }),
    ['problem discover'],
    [],
  ],
  ['answers GET with 405', answering('GET /mcp', { status: 405 }), ['problem get'], []],
  [
    'opens a stream without a token',
    answering('GET /mcp', { status: 200, headers: { 'content-type': 'text/event-stream' } }),
    ['problem get'],
    [CODEX],
  ],
  [
    'has no challenge for GET',
    answering('GET /mcp', { headers: { 'www-authenticate': null } }),
    ['problem challenge-methods'],
    [],
  ],
  [
    'answers HEAD with 405 and no challenge',
    answering('HEAD /mcp', { status: 405, headers: { 'www-authenticate': null } }),
    ['problem head', 'problem challenge-methods'],
    [],
  ],
  [
    'blocks Claude-User',
    {
      answers: {
        'POST initialize': (right, { headers }) =>
          headers.get('user-agent') === 'Claude-User'
            ? otherwise(right, { status: 403, headers: { 'cf-ray': 'x' } })
            : undefined,
      },
    },
    ['problem agents'],
    [CLAUDE],
  ],
  [
    'limits the requests of one host',
    {
      answers: {
        'POST initialize': (right, { headers }) =>
          headers.get('user-agent')?.startsWith('codex')
            ? otherwise(right, { status: 429 })
            : undefined,
      },
    },
    ['note agents'],
    [],
  ],
  [
    'requires another Accept header',
    {
      answers: {
        'POST initialize': (right, { headers }) =>
          headers.get('accept') === '*/*' ? otherwise(right, { status: 406 }) : undefined,
      },
    },
    ['problem agents'],
    [CLAUDE],
  ],
  ['rejects a preflight', answering('OPTIONS /mcp', { status: 401 }), ['problem preflight'], []],
  [
    'allows no origin',
    answering('OPTIONS /mcp', { headers: { 'access-control-allow-origin': null } }),
    ['problem preflight'],
    [],
  ],
  [
    'allows every header but Authorization',
    answering('OPTIONS /mcp', { headers: { 'access-control-allow-headers': '*' } }),
    ['problem preflight'],
    [],
  ],
  [
    'hides its challenge from web pages',
    answering('GET /mcp', { headers: { 'access-control-expose-headers': null } }),
    ['problem challenge-page'],
    [],
  ],
]

/** Servers that no host can connect to. */
const shut: readonly (readonly [
  string,
  (right: Response) => Response | Promise<never>,
  string,
  string,
])[] = [
  [
    'redirects to another URL',
    (it) => otherwise(it, { status: 307, headers: { location: 'https://new.example.com/mcp' } }),
    'redirects to "https://new.example.com/mcp"',
    'or serve the endpoint here',
  ],
  [
    'is behind Cloudflare Access',
    (it) =>
      otherwise(it, {
        status: 302,
        headers: { location: 'https://team.cloudflareaccess.com/x?kid=secret' },
      }),
    'redirects to "https://team.cloudflareaccess.com/x",',
    'Take this path out',
  ],
  [
    'is behind a Cloudflare challenge',
    (it) => otherwise(it, { status: 403, headers: { 'cf-mitigated': 'challenge' } }),
    'a Cloudflare challenge',
    'skips challenges',
  ],
  [
    'returns 403',
    (it) => otherwise(it, { status: 403 }),
    'returns 403.',
    'without a key and without an Origin',
  ],
  ['is a website', () => page(), 'There is no MCP endpoint', 'Streamable HTTP'],
  [
    'returns 404',
    (it) => otherwise(it, { status: 404 }),
    'There is no MCP endpoint',
    'Streamable HTTP',
  ],
  [
    'returns 406',
    (it) => otherwise(it, { status: 406 }),
    'returns 406',
    'whatever its Accept header says',
  ],
  ['returns 500', (it) => otherwise(it, { status: 500 }), 'returns 500', "Read the server's log"],
  [
    'returns a JSON-RPC error',
    (it) =>
      otherwise(it, {
        status: 200,
        body: rpc({ error: { code: 1, message: 'a message of others' } }),
      }),
    'a JSON-RPC error',
    'Streamable HTTP',
  ],
  [
    'returns other JSON',
    (it) => otherwise(it, { status: 200, body: '{}' }),
    'not JSON-RPC',
    'Streamable HTTP',
  ],
  ['returns 402', (it) => otherwise(it, { status: 402 }), 'returns 402', 'refused only with 401'],
]

/** The reasons why the network gives no answer, with the finding and the fix. */
const broken = [
  ['ENOTFOUND', 'There is no host with this name.', 'spelling'],
  ['ECONNREFUSED', 'Nothing listens on this port.', 'Start the server'],
  ['UND_ERR_CONNECT_TIMEOUT', 'It does not respond in time.', 'firewall'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'Its certificate is not trusted', 'whole chain'],
  ['UND_ERR_SOCKET', 'The connection failed (UND_ERR_SOCKET).', 'speaks https'],
] as const

describe('a server without a sign-in', () => {
  test.each(open)('gets the right findings if it %s', async (_, wrong, found, out) => {
    const report = await wrongHost({ open: true, ...wrong })
    expect(troubles(report)).toEqual(found)
    expect(shutOut(report)).toEqual(out)
  })

  test('works for the hosts that can send a key if it requires one', async () => {
    const report = await wrongHost({ challenge: 'Bearer', without: ['resource', 'server'] })
    expect(troubles(report)).toEqual(['problem sign-in'])
    expect(shutOut(report)).toEqual([CLAUDE, CHATGPT])
    expect(report.verdicts()[2]!.verdict).toBe(
      'would connect with the key in the header Authorization: Bearer KEY',
    )
    const { fix } = report.findings.find(({ id }) => id === 'sign-in')!
    expect(fix).toContain('TIDEGATE_PASSPHRASE')
    expect(fix).toContain(`${ORIGIN}/k/KEY/mcp`)
  })

  test('gets a hint to its authorization server if the resource metadata is missing', async () => {
    const report = await wrongHost({ challenge: 'Bearer', without: ['resource'] })
    expect(troubles(report)).toEqual(['problem sign-in'])
    expect(report.findings.at(-1)!.seen).toContain(SERVER)
  })
})

describe('a server with a sign-in', () => {
  test.each(closed)('gets the right findings if it %s', async (_, wrong, found, out) => {
    const report = await wrongHost(wrong)
    expect(troubles(report)).toEqual(found)
    expect(shutOut(report)).toEqual(out)
  })
})

/** The fixes, by the response that only one host gets. */
const fixes: readonly (readonly [string, Parameters<typeof otherwise>[1], string])[] = [
  ['by Cloudflare, with cf-ray', { status: 403, headers: { 'cf-ray': 'x' } }, 'AI Crawl Control'],
  ['by Cloudflare', { status: 403, headers: { server: 'cloudflare' } }, 'AI Crawl Control'],
  ['by another server', { status: 403 }, 'firewall or proxy'],
  ['because of its Accept header', { status: 406 }, 'whatever its Accept header says'],
  ['because of a limit', { status: 429 }, 'Wait a minute'],
]

describe('a blocked host', () => {
  test.each(fixes)('gets the right fix if it is blocked %s', async (_, change, fix) => {
    const answers: Wrong['answers'] = {
      'POST initialize': (right, { headers }) =>
        headers.get('user-agent') === 'Claude-User' ? otherwise(right, change) : undefined,
    }
    const { findings } = await wrongHost({ answers })
    expect(findings.find(({ id }) => id === 'agents')!.fix).toContain(fix)
  })
})

describe('a server that no host can connect to', () => {
  test.each(shut)('gets the right fix if it %s', async (_, change, seen, fix) => {
    const report = await wrongHost({ answers: { 'POST initialize': change } })
    expect(troubles(report)).toEqual(['problem initialize'])
    const [finding] = report.findings.filter(({ state }) => state === 'problem')
    expect(finding!.seen).toContain(seen)
    expect(finding!.fix).toContain(fix)
    expect(JSON.stringify(report.findings)).not.toMatch(/kid=|a message of others/)
    expect(shutOut(report)).toEqual(ALL)
  })

  test.each(broken)('gets the right fix for %s', async (code, seen, fix) => {
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
    }
    const report = await examined(oauthHost(ORIGIN), { fetch })
    expect(troubles(report)).toEqual(['problem reachable'])
    expect(report.findings.at(-1)!.seen).toContain(seen)
    expect(report.findings.at(-1)!.fix).toContain(fix)
    expect(shutOut(report)).toEqual(ALL)
  })

  test('gets a finding if it never answers, or never ends its answer', async () => {
    const silent: ExamineIo['fetch'] = (_, { signal }) =>
      new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
    const report = await examined(oauthHost(ORIGIN), { fetch: silent, wait: 20 })
    expect(report.findings.at(-1)!.seen).toBe('It does not respond within 0.02 s.')
    let sent = 0
    const endless = () => {
      const body = new ReadableStream({
        pull(controller) {
          sent++
          controller.enqueue(new Uint8Array(16 * 1024).fill(32))
        },
      })
      return new Response(body, { headers: { 'content-type': 'application/json' } })
    }
    const answers = { 'POST initialize': endless }
    expect(troubles(await wrongHost({ answers }))).toEqual(['problem initialize'])
    expect(sent).toBeLessThan(20)
  })
})
