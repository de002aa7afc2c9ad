import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HostFinding } from '../../src/host-checks/index.ts'
import { startHttp } from '../servers/http.ts'
import { listenAs, oauthHost } from '../servers/oauth-host.ts'
import { tidegate } from '../support/command-line.ts'
import { examined, ORIGIN, troubles, wrongHost } from '../support/host-checks.ts'
import { startWorker } from '../support/worker.ts'

/** The checks of every endpoint, of one with a sign-in, and of one without. */
const ALWAYS = 'url initialize discover get head agents preflight'.split(' ')
const SIGN_IN = [
  ...ALWAYS,
  ...'challenge-scope challenge resource-metadata resource authorization-servers'.split(' '),
  ...'well-knowns challenge-methods wrong-token server-metadata issuer server-endpoints'.split(' '),
  ...'pkce iss registration client-authentication refresh offline-access'.split(' '),
  ...'unknown-client registration-endpoint register register-method'.split(' '),
  ...'authorization-page authorization-frame authorization-cache wrong-redirect'.split(' '),
  ...'loopback-port token-code token-refresh token-cache'.split(' '),
]
const OPEN = [...ALWAYS, ...'notification tools tool-shapes annotations well-knowns'.split(' ')]

describe('a correct server', () => {
  test('passes every check, and every host would sign in', async () => {
    const report = await wrongHost({})
    expect(troubles(report)).toEqual([])
    expect(report.findings.map(({ id }) => id)).toEqual(SIGN_IN)
    for (const { verdict } of report.verdicts())
      expect(verdict).toBe('would connect, and ask to sign in')
  })

  test('passes without a sign-in, and every host would connect', async () => {
    const report = await wrongHost({ open: true })
    expect(troubles(report)).toEqual([])
    expect(report.findings.map(({ id }) => id)).toEqual(OPEN)
    for (const { verdict, state } of report.verdicts()) {
      expect([verdict, state]).toEqual(['would connect', 'ok'])
    }
  })

  test('can answer with a stream, which is read only until the answer', async () => {
    const endless = (right: Response) => {
      const body = new ReadableStream({
        async start(controller) {
          const line = `: hello\n\nevent: message\ndata: ${await right.text()}\n\n`
          for (const piece of line.match(/.{1,7}/gs)!)
            controller.enqueue(new TextEncoder().encode(piece))
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
    const answers = {
      'POST initialize': endless,
      'POST server/discover': endless,
      'POST tools/list': endless,
      'GET /mcp': endless,
    }
    expect(troubles(await wrongHost({ open: true, answers }))).toEqual([])
  })

  test('gets no registration unless the user asks for it', async () => {
    const bodies: string[] = []
    const answers = {
      'POST /register': async (_: Response, request: Request) => {
        bodies.push(await request.text())
        return undefined
      },
    }
    const host = oauthHost(ORIGIN, { answers })
    expect(troubles(await examined(host, { register: false }))).toEqual([])
    expect(bodies).toEqual(['{'])
  })
})

const around = { vars: {} }

describe('Tidegate', () => {
  const shop = [{ name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } }]
  const closed = {
    ENDPOINTS: JSON.stringify(shop),
    TIDEGATE_KEY: 'marker-of-the-key-of-the-operator',
    TIDEGATE_SECRET: 'marker of a secret, long enough to seal with',
  }
  const rows = [
    ['with a sign-in', { ...closed, TIDEGATE_PASSPHRASE: 'a passphrase, long enough' }, []],
    ['with a key', closed, ['problem sign-in']],
    ['as a demo', {}, []],
  ] as const

  test.each(rows)('has only known findings %s', async (_, secrets, found) => {
    const worker = await startWorker(secrets)
    try {
      for (const path of 'ENDPOINTS' in secrets ? ['/mcp', '/mcp/shop'] : ['/mcp']) {
        const args = ['doctor', worker.url + path, '--register', '--json']
        const { stdout } = await tidegate(args, around)
        const findings = JSON.parse(stdout) as HostFinding[]
        expect(troubles({ findings }), path).toEqual(['note reach', ...found])
      }
    } finally {
      await worker.close()
    }
  })
})

describe('npx tidegate doctor', () => {
  test('prints each check, its fix, and a line for each host', async () => {
    const right = await startHttp(listenAs((origin) => oauthHost(origin)))
    const fine = await tidegate(['doctor', `http://127.0.0.1:${right}/mcp`, '--register'], around)
    expect(fine).toMatchObject({ code: 0, stderr: '' })
    expect(fine.stdout).toMatch(/^ok {7}PKCE with S256 is supported\.$/m)
    expect(fine.stdout).toMatch(/^Codex +would connect, and ask to sign in$/m)
    expect(fine.stdout).toMatch(/^ChatGPT +would not connect: The URL is on this machine/m)
    expect(fine.stdout).not.toContain('marker')

    const server = { code_challenge_methods_supported: [] }
    const wrong = await startHttp(listenAs((origin) => oauthHost(origin, { server })))
    const url = `http://127.0.0.1:${wrong}/mcp`
    const ill = await tidegate(['doctor', url], around)
    expect(ill.code).toBe(1)
    expect(ill.stdout).toMatch(/^problem {2}code_challenge.*\n {9}→ Support PKCE/m)
    const json = await tidegate(['doctor', url, '--json'], around)
    const findings = JSON.parse(json.stdout) as HostFinding[]
    expect(findings.find(({ id }) => id === 'pkce')).toEqual({
      id: 'pkce',
      hosts: expect.arrayContaining(['claude', 'gemini']),
      state: 'problem',
      seen: expect.any(String),
      fix: expect.any(String),
    })
    expect(json.code).toBe(1)
  })

  test('prints what docs/doctor.md shows', async () => {
    const [, shown = ''] = /```\n(problem[^`]+)```/.exec(readFileSync('docs/doctor.md', 'utf8'))!
    const report = await wrongHost({ resource: { resource: `${ORIGIN}/mcp/` } })
    const [problem] = report.findings.filter(({ state }) => state === 'problem')
    const [claude, chatgpt] = report.verdicts().map(({ name, verdict }) => [name, verdict])
    expect(report.verdicts()[0]!.state).toBe('problem')
    const lines = shown.split('\n').filter(Boolean)
    expect(
      lines.map((it) =>
        it
          .trim()
          .split(/ {2,}|→ /)
          .filter(Boolean),
      ),
    ).toEqual([['problem', problem!.seen], [problem!.fix], claude, chatgpt])
  })

  test('accepts only the URL of an endpoint', async () => {
    for (const [url, said] of [
      ['postgres://u:marker@127.0.0.1/shop', 'A connection string cannot be an argument'],
      ['libsql://shop.turso.io?authToken=marker', 'A connection string cannot be an argument'],
      ['gate.marker.com/mcp', 'begins with https://'],
      ['https://u:marker@gate.example.com/mcp', 'user name and password'],
      ['https://gate.example.com/mcp#marker', 'the #'],
    ] as const) {
      const ran = await tidegate(['doctor', url], around)
      expect(ran, url).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) })
      expect(ran.stderr).not.toContain('marker')
    }
    const other = await tidegate(['status', 'https://gate.example.com/k/marker/mcp'], around)
    expect(other).toMatchObject({ code: 2, stderr: expect.not.stringContaining('marker') })
  })
})
