import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { tidegate } from './support/command-line.ts'
import { freePort } from './support/port.ts'
import { type RunningWorker, startWorker } from './support/worker.ts'

const KEY = 'marker-of-a-key'
const node = process.execPath

const inspect = (args: readonly string[], vars: Record<string, string> = {}) =>
  tidegate(['inspect', ...args], { vars: { PATH: process.env.PATH ?? '', ...vars } })

/** The result for a message; a number is an HTTP status, and undefined is an error. */
// biome-ignore lint/suspicious/noExplicitAny: messages have every shape
type Answers = (message: any, request: IncomingMessage) => object | number | undefined

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Starts an MCP server over HTTP with these answers. */
async function serve(answers: Answers): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = body ? JSON.parse(body) : {}
    const answer = answers(message, request)
    if (message.id === undefined) return void response.writeHead(202).end()
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'www-authenticate': 'Bearer resource_metadata="http://x/"' })
      return void response.end()
    }
    const error = { code: -32601, message: 'None.' }
    const reply = { jsonrpc: '2.0', id: message.id, ...(answer ? { result: answer } : { error }) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** The answers of a legacy server with these lists. */
const old =
  (lists: Record<string, object>): Answers =>
  ({ method, params }) =>
    ({
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'old', version: '1' },
      },
      ...lists,
    })[method as string]

describe('tidegate inspect with our own Worker', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker()
  })
  afterAll(() => worker.close())

  test.each(['modern', 'legacy'])('shows what the Worker offers to a %s host', async (era) => {
    const shown = await inspect([`${worker.url}/mcp`, '--era', era])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      era === 'modern' ? /Revision +2026-07-28, also 2025-11-25/ : /Revision +2025-11-25\n/,
    )
    expect(shown.stdout).toMatch(/^Instructions, about [\d,]+ tokens$/m)
    expect(shown.stdout).toMatch(/^ {2}query +\S.* sql\*.* read-only$/m)
    expect(shown.stdout).toMatch(/^\d+ tools, about [\d,]+ tokens$/m)
    expect(shown.stdout).toMatch(/^\d+ prompts?$/m)
    const { stdout } = await inspect([`${worker.url}/mcp`, '--era', era, '--json'])
    const { tools } = JSON.parse(stdout)
    expect(tools.find(({ name }: { name: string }) => name === 'query').inputSchema).toBeDefined()
  })
})

describe('tidegate inspect with any server', () => {
  test('starts a command in both eras', async () => {
    const server = [node, resolve('test/servers/stdio-server.ts')]
    const modern = await inspect(['--', ...server])
    expect(modern).toMatchObject({ code: 0 })
    expect(modern.stdout).toContain('Revision       2026-07-28, also 2025-11-25')
    const legacy = await inspect(['--era', 'legacy', '--', ...server])
    expect(legacy.stdout).toContain('Revision       2025-11-25\n')
    for (const { stdout } of [modern, legacy]) expect(stdout).toContain('test://watched')
  })

  test('inspects a server that requires a session, or does not answer before initialize', async () => {
    const shown = await inspect([await serve(old({ 'tools/list': { tools: [{ name: 'a' }] } }))])
    expect(shown.stdout).toContain('Revision       2025-11-25\n')
    expect(shown.stdout).toContain('1 tool, ')
    expect(shown.stdout).toContain('Note: It rejects resources/list: None. (-32601)')
    const program = `
      const { createInterface } = require('node:readline')
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const result = { initialize: { protocolVersion: '2025-11-25', capabilities: {} } }[method]
        if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })`
    const silent = await inspect(['--', node, '-e', program])
    expect(silent).toMatchObject({ code: 0 })
    expect(silent.stdout).toContain('A server without a name')
  })

  test('shows no terminal control sequences', async () => {
    const evil = '\u001b]0;marker\u0007\u009b31m\u202e\u2028\u{e0041}'
    const tool = { name: `x${evil}`, title: evil, inputSchema: { properties: { [evil]: {} } } }
    const lists = {
      'tools/list': { tools: [tool], note: evil },
      'prompts/list': { prompts: [tool] },
    }
    const url = await serve((message, request) => {
      const answer = old(lists)(message, request)
      return message.method === 'initialize'
        ? { ...(answer as object), instructions: evil }
        : answer
    })
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await inspect([url, ...more])
      expect(stdout).toContain('marker')
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
    const { stdout } = await inspect([url, '--json'])
    expect(JSON.parse(stdout).instructions).toBe(evil)
  })

  test('stops reading an endless list', async () => {
    let pages = 0
    const url = await serve((message, request) =>
      message.method === 'tools/list'
        ? { tools: [{ name: `t${pages}` }], nextCursor: `c${++pages}` }
        : old({})(message, request),
    )
    const shown = await inspect([url])
    expect(shown.stdout).toContain('Note: tools/list has no end')
    expect(pages).toBeLessThanOrEqual(50)
  })

  test('reports that a server needs a sign-in, and sends a key only if asked to', async () => {
    const keys: (string | undefined)[] = []
    const url = await serve((message, request) => {
      keys.push(request.headers.authorization)
      if (request.headers.authorization !== `Bearer ${KEY}`) return 401
      return old({ 'tools/list': { tools: [{ name: 'a' }] } })(message, request)
    })
    const refused = await inspect([url], { TIDEGATE_KEY: KEY })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      'It needs a sign-in (401): hosts open a page for it. If you have a key or a token, name its variable: --key-env NAME.\n',
    )
    // The key is sent only to the operator's own deployment.
    expect(new Set(keys)).toEqual(new Set([undefined]))
    const wrong = await inspect([url, '--key-env', 'WRONG'], { WRONG: 'no' })
    expect(wrong.stderr).toBe('It rejects this key (401).\n')
    expect((await inspect([url, '--key-env', 'MINE'], { MINE: KEY })).stdout).toContain('1 tool')
    const own = { TIDEGATE_KEY: KEY, TIDEGATE_URL: new URL(url).origin }
    expect((await inspect([url], own)).code).toBe(0)
    expect((await inspect([url, '--header', `Authorization: Bearer ${KEY}`])).code).toBe(0)
  })

  test('explains errors', async () => {
    const page = createServer((_, response) => response.end('<h1>marker</h1>'))
    await new Promise<void>((listening) => page.listen(0, '127.0.0.1', listening))
    closing.push(() => page.close())
    const { port } = page.address() as AddressInfo
    const free = await freePort()
    for (const [args, sentence, code] of [
      [[`http://127.0.0.1:${free}/mcp`], `127.0.0.1:${free}: Nothing listens on this port.`, 1],
      [
        ['http://127.0.0.1:1/mcp'],
        '127.0.0.1:1: Programs are not allowed to connect to this port',
        1,
      ],
      [['http://none.invalid/mcp'], 'none.invalid: There is no host with this name.', 1],
      [
        [`http://127.0.0.1:${port}/mcp`],
        'It does not respond to initialize as an MCP server does',
        1,
      ],
      [['--', node, '-e', ''], 'It ended (0).', 1],
      [['--', 'no-such-program'], 'It cannot be started (ENOENT).', 1],
      [['postgres://u:marker@h/d'], 'begins with https:// or http://', 2],
      [['https://u:marker@host.example/'], 'instead of a user name or password', 2],
      [['http://db.example/mcp', '--key-env', 'K'], 'only over https', 2],
      [['https://db.example/mcp', '--era', 'old'], 'The era must be', 2],
    ] as const) {
      const ran = await inspect(args, { K: KEY })
      expect(ran, args.join(' ')).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(sentence)
      expect(ran.stderr).not.toContain('marker')
    }
  })
})
