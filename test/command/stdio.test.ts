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

describe('npx tidegate over stdio', () => {
  test.each(['legacy', 'auto'] as const)('serves the official v2 client: %s', async (mode) => {
    const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioV2(command('--demo')))
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('query')
    const { structuredContent } = await client.callTool(COUNT)
    expect(structuredContent).toMatchObject({ rows: [[2400]] })
    await client.close()
  })

  test('serves the official v1 client', async () => {
    const client = new ClientV1({ name: 'test', version: '1' })
    // biome-ignore lint/suspicious/noExplicitAny: its types do not know exactOptionalPropertyTypes
    await client.connect(new StdioV1(command('--demo')) as any)
    expect(await client.callTool(COUNT)).toMatchObject({ structuredContent: { rows: [[2400]] } })
    await client.close()
  })

  test('ends at the end of the input, after it has answered earlier requests', async () => {
    const it = spawned(['--demo'])
    void it.ask('tools/call', COUNT).catch(() => {})
    it.end()
    expect(await it.over).toEqual([0, null])
    expect(it.said).toMatchObject([{ id: 1, result: { structuredContent: { rows: [[2400]] } } }])
    expect(it.logs()).toBe('')
  })

  test('sends no answer to a cancelled call', async () => {
    const it = spawned(['--demo'])
    await it.initialize()
    // In one write: the demo runs in the same thread, which would read a second one only after the query.
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

  test('serves the endpoint of a file that --endpoint names, or the first one', async () => {
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

  test('reads the variables of a Worker from the environment, or else from a file', async () => {
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

  test('limits tools and answers by its options', async () => {
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

describe('the output', () => {
  test('has only messages on stdout, even if other code writes there', async () => {
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

  test('has no password and no key', async () => {
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

test('npx tidegate prints its help and its version', () => {
  const run = (option: string) => execFileSync(process.execPath, [program, option]).toString()
  expect(run('--help')).toMatch(/^Serves a database to AI, read-only, over stdio/)
  expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})

describe('an error', () => {
  const cases: [string, string[], string][] = [
    [
      'an unknown option',
      ['--frobnicate'],
      "Unknown option '--frobnicate'. See: npx tidegate --help",
    ],
    [
      'an invalid number',
      ['demo:', '--rows', 'many'],
      '--rows must be a whole number from 1 to 10,000.',
    ],
    [
      'two databases',
      ['--demo', 'demo:'],
      'Give a connection string or a file or --demo, but not both.',
    ],
    ['a missing file', ['shop.sqlite'], 'There is no file shop.sqlite.'],
    ['a missing file of variables', ['--vars', 'no.env'], 'There is no file no.env.'],
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
    ['a missing path', ['./shop'], 'There is no file ./shop.'],
    ['an option of serve', ['--demo', '--port', '9'], 'npx tidegate serve … --port'],
    [
      'a variable in the form of other commands',
      [
        '-c',
        fileOf('e.json', { name: 'e', title: 'E', databases: { e: { url: 'env:SHOP_URL' } } }),
      ],
      'write "secret:SHOP_URL" for the variable SHOP_URL.',
    ],
    ['a variable that is not set', ['--url-env', 'SHOP_URL'], 'The variable SHOP_URL is not set.'],
    ['an unknown endpoint', ['--demo', '--endpoint', 'shop'], 'There is no endpoint shop here.'],
    [
      'no database',
      [],
      'Name a database: npx tidegate postgres://user:password@host/database, or a SQLite file, or --config FILE, or --demo. Or set the variable DATABASE_URL.',
    ],
    ['text that is not a URL', ['what is this'], 'This is not a known form of connection string.'],
    [
      'a file that is not JSON',
      ['-c', fileOf('no.json', '[\n{"name" "shop"}]')],
      'is not JSON. At line 2, column 9 there is "\\"", but a colon is expected.',
    ],
    [
      'an invalid field',
      ['-c', fileOf('f.json', { name: 'shop', databases: {} })],
      'f.json is not valid.',
    ],
    [
      'an unset variable in a file',
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
    'is reported on stderr, to the host, and by the exit code: %s',
    async (_, args, sentence) => {
      const it = spawned(args)
      // Claude Code does the same: it discovers the server, and then opens a session.
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

test('serve reports that the folder for the state does not exist', async () => {
  const it = spawned(['serve', '--demo', '--state', join(folder, 'none/state')])
  expect(await it.over).toEqual([2, null])
  expect(it.logs()).toContain('does not exist. Create it, or give --state another path.')
})

test.each(['[]', '"x"'])('serve reports that a file has no endpoint: %s', async (text) => {
  const it = spawned(['serve', '--config', fileOf('none.json', text)])
  expect(await it.over).toEqual([2, null])
  expect(it.logs()).toContain('none.json has no endpoint. See docs/endpoints.md')
})

test('serve reports which variables are not set', async () => {
  const databases = { shop: { url: 'secret:SHOP_URL' }, more: { url: 'secret:SHOP_URL' } }
  const config = fileOf('unset.json', { name: 'shop', title: 'Shop', databases })
  const it = spawned(['serve', '--port', '0', '--config', config])
  await expect.poll(it.logs, { timeout: 60_000 }).toContain('Serves http')
  const said = 'The variable SHOP_URL is not set, so its database is not served.'
  expect(it.logs().split(said)).toHaveLength(2)
  it.child.kill('SIGTERM')
  expect(await it.over).toEqual([0, null])
})

describe('npx tidegate ends', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'on %s, even during a running call',
    async (name) => {
      const it = spawned(['--demo'])
      await it.initialize()
      it.send({ id: 'long', method: 'tools/call', params: LONG })
      await it.ask('ping', {}, LEGACY[0])
      it.child.kill(name)
      expect(await it.over).toEqual([0, null])
    },
  )

  test('if nobody reads its answers', async () => {
    const it = spawned(['--demo'])
    await it.ask('tools/list')
    it.child.stdout?.destroy()
    for (let n = 0; n < 5; n++) it.send({ id: n, method: 'tools/list', params: {} })
    expect((await it.over)[1]).toBe(null)
  })

  test('on a signal, even if the client sends requests without reading answers', async () => {
    const it = spawned(['--demo'])
    await it.ask('tools/list', {}, MODERN)
    it.child.stdout?.pause()
    for (let n = 0; n < 100; n++) it.send({ id: n, method: 'tools/list', params: {} })
    it.child.kill('SIGTERM')
    it.child.stdout?.resume()
    expect((await it.over)[1]).toBe(null)
  })
})
