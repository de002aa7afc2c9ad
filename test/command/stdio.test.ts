import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, describe, expect, test } from 'vitest'
import { LEGACY, MODERN } from '../support/mcp.ts'
import { plainVars, program, spawned } from '../support/spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'command-'))
afterAll(() => rmSync(folder, { recursive: true }))

const COUNT = { name: 'query', arguments: { sql: 'select count(*) as n from orders' } }

/** Counts for longer than any test waits. */
const LONG = {
  name: 'query',
  arguments: {
    sql: 'with recursive c(n) as (select 1 union all select n + 1 from c where n < 100000000) select count(*) from c',
  },
}

function fileOf(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  return path
}

const command = (...args: string[]) => ({
  command: process.execPath,
  args: [program, ...args],
  env: plainVars(),
  stderr: 'inherit' as const,
})

describe('over stdio', () => {
  test.each(['legacy', 'auto'] as const)(
    'the official client of v2 is served: %s',
    async (mode) => {
      const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StdioV2(command('--demo')))
      expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('query')
      const { structuredContent } = await client.callTool(COUNT)
      expect(structuredContent).toMatchObject({ rows: [[2400]] })
      await client.close()
    },
  )

  test('the official client of v1 is served', async () => {
    const client = new ClientV1({ name: 'test', version: '1' })
    // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
    await client.connect(new StdioV1(command('--demo')) as any)
    expect(await client.callTool(COUNT)).toMatchObject({ structuredContent: { rows: [[2400]] } })
    await client.close()
  })

  test('an end of the input ends it, after what was asked before is answered', async () => {
    const it = spawned(['--demo'])
    void it.ask('tools/call', COUNT).catch(() => {})
    it.end()
    expect(await it.over).toEqual([0, null])
    expect(it.said).toMatchObject([{ id: 1, result: { structuredContent: { rows: [[2400]] } } }])
    expect(it.logs()).toBe('')
  })

  test('a call is cancelled, and gets no answer', async () => {
    const it = spawned(['--demo'])
    await it.initialize()
    // At once: the demo works in the same thread, which would read the second line when it is done.
    const long = { jsonrpc: '2.0', id: 'long', method: 'tools/call', params: LONG }
    const method = 'notifications/cancelled'
    const cancelled = { jsonrpc: '2.0', method, params: { requestId: 'long' } }
    it.child.stdin!.write(`${JSON.stringify(long)}\n${JSON.stringify(cancelled)}\n`)
    expect(await it.ask('tools/call', COUNT, LEGACY[0])).toMatchObject({
      result: { content: [{}] },
    })
    it.end()
    await it.over
    expect(it.said.filter(({ id }) => id === 'long')).toEqual([])
  })

  test('two endpoints of a file are served by name, the first one unless named', async () => {
    const endpoint = (name: string) => ({
      name,
      title: name,
      databases: { demo: { url: 'demo:' } },
    })
    const config = fileOf('two.json', [endpoint('first'), endpoint('second')])
    for (const [args, title] of [
      [['--config', config], 'first'],
      [[config], 'first'],
      [['-c', config, '--endpoint', 'second'], 'second'],
    ] as const) {
      const it = spawned(args)
      expect(await it.initialize()).toMatchObject({ result: { serverInfo: { title } } })
      it.end()
      expect(await it.over).toEqual([0, null])
    }
  })

  test('variables are those of a Worker, and may be in a file; the environment wins', async () => {
    const endpoint = { name: 'shop', title: 'By variable', databases: { demo: { url: 'demo:' } } }
    const ENDPOINTS = JSON.stringify([endpoint])
    const byVariable = spawned([], { ENDPOINTS })
    expect(await byVariable.initialize()).toMatchObject({
      result: { serverInfo: { title: 'By variable' } },
    })
    byVariable.end()
    const file = fileOf('.env', `ENDPOINTS='${ENDPOINTS}'\nMINE=demo:\n`)
    for (const option of ['--vars', '--env-file']) {
      const byFile = spawned([option, file, '--url-env', 'MINE', '--title', 'By file'])
      expect(await byFile.initialize()).toMatchObject({
        result: { serverInfo: { title: 'By file' } },
      })
      byFile.end()
      await byFile.over
    }
    const won = spawned(['--vars', file], { ENDPOINTS: ENDPOINTS.replace('variable', 'hand') })
    expect(await won.initialize()).toMatchObject({ result: { serverInfo: { title: 'By hand' } } })
    won.end()
    await Promise.all([byVariable.over, won.over])
  })

  test('options set the bounds of answers', async () => {
    const it = spawned(['demo:', '--rows', '3', '--no-sql', '--read-only', '--purpose', 'a shop'])
    const { result } = await it.ask('tools/list')
    expect(result.tools.map(({ name }: { name: string }) => name)).not.toContain('query')
    const rows = await it.ask('tools/call', {
      name: 'query_table',
      arguments: { table: 'orders' },
    })
    expect(rows.result.structuredContent.rows).toHaveLength(3)
    it.end()
    await it.over
  })
})

describe('what is written where', () => {
  test('nothing but messages is on stdout, whoever writes there', async () => {
    const noisy = fileOf(
      'noisy.mjs',
      `setInterval(() => { console.log('by the console'); process.stdout.write('by hand\\n') }, 1)
       process.emitWarning('may change', 'ExperimentalWarning')`,
    )
    const it = spawned(['--demo'], { NODE_OPTIONS: `--import ${noisy}` })
    expect(await it.ask('tools/call', COUNT)).toMatchObject({ result: {} })
    it.end()
    await it.over
    expect(it.said).toHaveLength(1)
    expect(it.logs()).toContain('tidegate: by the console\n')
    expect(it.logs()).toContain('tidegate: by hand\n')
    expect(it.logs()).not.toContain('Experimental')
  })

  test('no log has a password, nor a key', async () => {
    const url = 'postgres://u:marker-of-a-password@127.0.0.1:1/shop'
    const noisy = fileOf(
      'tells.mjs',
      `setTimeout(() => console.error(new Error('${url} marker-of-a-key https://a:other-marker@b/')), 300)`,
    )
    const it = spawned([url], {
      NODE_OPTIONS: `--import ${noisy}`,
      TIDEGATE_KEY: 'marker-of-a-key',
    })
    const { result } = await it.ask('tools/call', { name: 'query', arguments: { sql: 'select 1' } })
    expect(result.isError).toBe(true)
    await expect.poll(it.logs).toContain('Error')
    it.end()
    await it.over
    expect(`${it.logs()}${JSON.stringify(it.said)}`).not.toContain('marker')
  })
})

test('says what it can be asked, and its version', () => {
  const run = (option: string) => execFileSync(process.execPath, [program, option]).toString()
  expect(run('--help')).toMatch(/^Serves a database to AI, read-only, over stdio/)
  expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})

describe('what is wrong', () => {
  const cases: [string, string[], string][] = [
    [
      'an unknown option',
      ['--frobnicate'],
      "Unknown option '--frobnicate'. See: npx tidegate --help",
    ],
    [
      'a number that is none',
      ['demo:', '--rows', 'many'],
      '--rows must be a whole number from 1 to 10,000.',
    ],
    [
      'two databases',
      ['--demo', 'demo:'],
      'Give a connection string or a file or --demo, but not both.',
    ],
    ['a file that is not there', ['shop.sqlite'], 'There is no file shop.sqlite.'],
    ['variables that are not there', ['--vars', 'no.env'], 'There is no file no.env.'],
    [
      'variables in a folder',
      ['--demo', '--vars', folder],
      `${folder} cannot be read: it is a folder.`,
    ],
    [
      'two files of variables',
      ['--demo', '--vars', fileOf('a.env', ''), '--env-file', fileOf('b.env', '')],
      'Give --vars or --env-file, but not both.',
    ],
    ['a path that leads nowhere', ['./shop'], 'There is no file ./shop.'],
    ['an option of serve', ['--demo', '--port', '9'], 'npx tidegate serve … --port'],
    [
      'a variable as other commands name it',
      [
        '-c',
        fileOf('e.json', { name: 'e', title: 'E', databases: { e: { url: 'env:SHOP_URL' } } }),
      ],
      'write "secret:SHOP_URL" for the variable SHOP_URL.',
    ],
    ['a variable that is not set', ['--url-env', 'SHOP_URL'], 'The variable SHOP_URL is not set.'],
    [
      'an endpoint that is not there',
      ['--demo', '--endpoint', 'shop'],
      'There is no endpoint shop here.',
    ],
    [
      'no database',
      [],
      'Name a database: npx tidegate postgres://user:password@host/database, or a SQLite file, or --config FILE, or --demo. Or set the variable DATABASE_URL.',
    ],
    ['a text that is no URL', ['what is this'], 'This is not a known form of connection string.'],
    [
      'a file that is no JSON',
      ['-c', fileOf('no.json', '[\n{"name" "shop"}]')],
      'is not JSON. At line 2, column 9 there is "\\"", but a colon is expected.',
    ],
    [
      'a field that is wrong',
      ['-c', fileOf('f.json', { name: 'shop', databases: {} })],
      'f.json is not valid.',
    ],
    [
      'a variable that a file names',
      [
        '-c',
        fileOf('s.json', {
          name: 'shop',
          title: 'Shop',
          databases: { shop: { url: 'secret:SHOP_URL' } },
        }),
      ],
      'The variable SHOP_URL is not set. It must hold the connection string.',
    ],
  ]

  test.each(cases)(
    '%s is told on stderr, to the host, and by the exit code',
    async (_, args, sentence) => {
      const it = spawned(args)
      // As Claude Code does: it asks what there is, then opens a session.
      for (const ask of [() => it.ask('server/discover'), () => it.initialize()]) {
        expect(await ask()).toMatchObject({
          error: { code: -32603, message: expect.stringContaining(sentence) },
        })
      }
      it.end()
      expect(await it.over).toEqual([2, null])
      expect(it.logs()).toMatch(/^tidegate: [^\n]+\n$/)
      expect(it.logs()).toContain(sentence)
    },
  )
})

test('serve says that there is no folder for the state', async () => {
  const it = spawned(['serve', '--demo', '--state', join(folder, 'none/state')])
  expect(await it.over).toEqual([2, null])
  expect(it.logs()).toContain('does not exist. Create it, or give --state another path.')
})

test.each(['[]', '"x"'])('serve says that a file has no endpoint: %s', async (text) => {
  const it = spawned(['serve', '--config', fileOf('none.json', text)])
  expect(await it.over).toEqual([2, null])
  expect(it.logs()).toContain('none.json has no endpoint. See docs/endpoints.md')
})

test('serve says which variables are not set', async () => {
  const databases = { shop: { url: 'secret:SHOP_URL' }, more: { url: 'secret:SHOP_URL' } }
  const config = fileOf('unset.json', { name: 'shop', title: 'Shop', databases })
  const it = spawned(['serve', '--port', '0', '--config', config])
  await expect.poll(it.logs, { timeout: 60_000 }).toContain('Serves http')
  const said = 'The variable SHOP_URL is not set, so its database is not served.'
  expect(it.logs().split(said)).toHaveLength(2)
  it.child.kill('SIGTERM')
  expect(await it.over).toEqual([0, null])
})

describe('an end', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'comes with %s, also to a call',
    async (name) => {
      const it = spawned(['--demo'])
      await it.initialize()
      it.send({ id: 'long', method: 'tools/call', params: LONG })
      await it.ask('ping', {}, LEGACY[0])
      it.child.kill(name)
      expect(await it.over).toEqual([0, null])
    },
  )

  test('comes where nobody reads what is answered', async () => {
    const it = spawned(['--demo'])
    await it.ask('tools/list')
    it.child.stdout?.destroy()
    for (let n = 0; n < 5; n++) it.send({ id: n, method: 'tools/list', params: {} })
    expect((await it.over)[1]).toBe(null)
  })

  test('comes by a signal where the client reads nothing and keeps asking', async () => {
    const it = spawned(['--demo'])
    await it.ask('tools/list', {}, MODERN)
    it.child.stdout?.pause()
    for (let n = 0; n < 100; n++) it.send({ id: n, method: 'tools/list', params: {} })
    it.child.kill('SIGTERM')
    it.child.stdout?.resume()
    expect((await it.over)[1]).toBe(null)
  })
})
