import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { builtinModules, stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestHarness } from 'wrangler'
import { blocksOf, type Packed, pack } from './support/packed.ts'
import { freePort } from './support/port.ts'
import { describePostgres } from './support/postgres.ts'
import { plainVars } from './support/spawned.ts'

const programs = resolve('test/package/programs/node_modules')
const hasPrograms = existsSync(programs)
if (!hasPrograms && process.env.REQUIRE_ALL === '1') {
  throw new Error('Run `npm install --no-save --prefix test/package/programs`.')
}

let packed: Packed
beforeAll(async () => {
  packed = await pack()
}, 600_000)
afterAll(() => packed && rmSync(dirname(packed.tarball), { recursive: true }))

const [node = '', worker = '', database = ''] = blocksOf('package.md', 'ts')
const [bundled = '', asBuilt = ''] = blocksOf('package.md', 'toml')
const [mcp = ''] = blocksOf('mcp.md', 'ts')

const [onNode = ''] = blocksOf('node.md', 'ts')
const [overPipe = ''] = blocksOf('mcp-reference.md', 'ts')

/** Every block of TypeScript on every page. The blocks of the tutorial are one program: see tutorial.test.ts. */
const shown = globSync('docs/*.md').flatMap((path) => {
  const blocks = blocksOf(basename(path), 'ts')
  const alone = path.endsWith('mcp.md') ? blocks.slice(0, 1) : blocks
  return alone.map((code, i) => [`${basename(path, '.md')}-${i}`, code] as const)
})

const manifest = () => JSON.parse(readFileSync('package.json', 'utf8'))
const ofPackage = (path: string) => join(packed.project, 'node_modules/tidegate', path)

describe('the packed files', () => {
  test('are the command and the built modules, and nothing else', () => {
    // `npx tidegate deploy` reads wrangler.toml, and `npx tidegate new` the examples.
    const papers = ['CHANGELOG.md', 'LICENSE', 'README.md', 'lib/THIRD-PARTY.txt']
    const plain = [...papers, 'package.json', 'wrangler.toml']
    const isOurs = (path: string) =>
      /^bin\/(?:tidegate|new\/start)\.mjs$|^bin\/new\/server\.test\.ts\.txt$/.test(path) ||
      /^examples\/[\w-]+\/(?:[\w-]+\.ts|README\.md|wrangler\.toml)$/.test(path) ||
      /^lib\/.*\.(?:js|js\.map|d\.ts)$/.test(path)
    // Examples that have run leave secrets and state in their folders, which must not be packed.
    expect(packed.files.filter((it) => !plain.includes(it) && !isOurs(it))).toEqual([])
    expect(plain.filter((it) => !packed.files.includes(it))).toEqual([])
  })

  test('include the sources that the source maps name', () => {
    const maps = packed.files.filter((it) => it.endsWith('.map'))
    expect(maps.length).toBeGreaterThan(50)
    const without = maps.filter((it) => {
      const { sources, sourcesContent } = JSON.parse(readFileSync(ofPackage(it), 'utf8'))
      return sources.some((_: string, i: number) => !sourcesContent?.[i])
    })
    expect(without).toEqual([])
  })

  test('import only declared dependencies, and no others are installed', async () => {
    const { dependencies } = manifest()
    const listed = JSON.parse(await packed.run('npm', ['ls', '--all', '--json']))
    const { tidegate } = listed.dependencies
    expect(Object.keys(tidegate.dependencies).sort()).toEqual(Object.keys(dependencies).sort())
    const named = packed.files
      // Projects get a copy of this file, and they have wrangler.
      .filter((it) => /\.m?js$/.test(it) && it !== 'bin/new/start.mjs')
      .flatMap((it) => [
        ...readFileSync(ofPackage(it), 'utf8').matchAll(
          /^(?:import|export)\b[^'"`;]*?\bfrom ?["']([^"'./][^"']*)["']|\bimport\(["']([a-z@][^"']*)["']\)/gm,
        ),
      ])
      .map(([, from, later]) => from ?? later ?? '')
    const known = [...Object.keys(dependencies), ...builtinModules]
    const unknown = named.filter(
      (it) =>
        !/^(?:node|cloudflare):/.test(it) &&
        !known.some((name) => it === name || it.startsWith(`${name}/`)),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(unknown).toEqual([])
  })

  test('pass publint and Are the types wrong?', async () => {
    const { messages } = await publint({ pkgDir: resolve('.'), strict: true, pack: false })
    expect(messages).toEqual([])
    const attw = resolve('node_modules/.bin/attw')
    expect(await packed.run(attw, [packed.tarball, '--profile', 'esm-only'])).toContain('(ESM)')
  })
})

describe('in an empty folder with an empty home directory', () => {
  test.each(['legacy', 'auto'] as const)('npx serves the demo over stdio: %s', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const { tarball, home } = packed
    await client.connect(
      new StdioClientTransport({
        command: 'npx',
        // npx would run an absolute path as a program.
        args: ['--yes', `../${basename(tarball)}`, '--demo'],
        cwd: home,
        env: { ...(process.env as Record<string, string>), HOME: home },
      }),
    )
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
    const sql = 'select count(*) as n from orders'
    const { structuredContent } = await client.callTool({ name: 'query', arguments: { sql } })
    expect(structuredContent).toMatchObject({ rows: [[2400]] })
    await client.close()
  })
})

/** Serves the demo with the installed command. Returns a function that stops it. */
async function serveDemo(port: number): Promise<() => Promise<void>> {
  const args = [ofPackage('bin/tidegate.mjs'), 'serve', '--demo', '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: packed.home, env: plainVars() })
  const listening = async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}/health`).catch(() => ({ ok: false }))
    return ok
  }
  await expect.poll(listening, { timeout: 60_000 }).toBe(true)
  return async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

test('the installed command inspects a server', async () => {
  const port = await freePort()
  const stop = await serveDemo(port)
  const command = (words: string) =>
    packed.run(process.execPath, [
      ofPackage('bin/tidegate.mjs'),
      ...words.split(' '),
      `http://127.0.0.1:${port}/mcp`,
    ])
  try {
    expect(await command('doctor')).toMatch(/^Codex +would connect$/m)
    for (const era of ['legacy', 'modern'])
      expect(await command(`inspect --era ${era}`)).toContain('list_tables')
  } finally {
    await stop()
  }
})

describe('a client that never opens a second session', () => {
  test.each(['v1', 'v2'])('continues after a restart of the demo: %s', async (version) => {
    const port = await freePort()
    let stop = await serveDemo(port)
    const url = new URL(`http://127.0.0.1:${port}/mcp`)
    const info = { name: 'test', version: '1' }
    const ask = async () => {
      const call = { name: 'query', arguments: { sql: 'select count(*) as n from orders' } }
      const { structuredContent } = await client.callTool(call)
      expect(structuredContent).toMatchObject({ rows: [[2400]] })
    }
    const client = version === 'v1' ? new ClientV1(info) : new Client(info)
    const transport = version === 'v1' ? new TransportV1(url) : new TransportV2(url)
    // biome-ignore lint/suspicious/noExplicitAny: two SDKs, two types of transport
    await client.connect(transport as any)
    await ask()
    await stop()
    stop = await serveDemo(port)
    await ask()
    await client.close()
    await stop()
  })
})

/** The versions of Node that it runs on. */
const nodes = [
  ['the pinned version', process.execPath],
  ...(hasPrograms ? ['node-22', 'node-24'] : []).map((it) => [it, join(programs, it, 'bin/node')]),
] as [string, string][]

describe.each(nodes)('Node: %s', (_, path) => {
  test('runs the gateway as docs/package.md shows', async () => {
    packed.write('node.ts', node)
    packed.write('node.mjs', node)
    expect(await packed.run(path, ['node.mjs'])).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n200\n$/)
  })

  test('runs the gateway as docs/node.md shows', async () => {
    const url = 'postgres://reader@localhost/shop'
    expect(onNode).toContain(url)
    const here = onNode.replace(url, 'demo:').replace('8787', '0')
    packed.write(
      'on-node.mjs',
      `${here}
      const headers = { authorization: 'Bearer a-long-random-key', 'content-type': 'application/json' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      console.log((await fetch(server.url + '/mcp', { method: 'POST', headers, body })).status)
      process.exit()`,
    )
    expect(await packed.run(path, ['on-node.mjs'])).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n200\n$/)
  })

  test('runs a server over a pipe as the reference shows', async () => {
    packed.write('over-pipe.mjs', stripTypeScriptTypes(overPipe))
    const call = { method: 'tools/call', params: { name: 'clock', arguments: {} } }
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const said = await packed.run('sh', ['-c', `echo '${line}' | ${path} over-pipe.mjs`])
    expect(JSON.parse(said).result.content[0].text).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  test('imports the package by its name', async () => {
    packed.write(
      'fetch.mjs',
      `import tidegate from 'tidegate'
      const response = await tidegate.fetch(new Request('http://localhost/health'))
      console.log(await response.text())
      process.exit()`,
    )
    expect(await packed.run(path, ['fetch.mjs'])).toBe('{"status":"ok"}\n')
  })
})

await describePostgres('tidegate/database', 'select 1', ({ tcp }) => {
  test('queries a database as docs/package.md shows', async () => {
    packed.write('database.mjs', database)
    const said = await packed.run('env', [
      `DATABASE_URL=${tcp()}`,
      process.execPath,
      'database.mjs',
    ])
    expect(said).toMatch(/^n: int4 \[ \[ 1 \] \]\nrefused /)
  })
})

/** The global types of a project. */
const worlds = {
  'a browser': { lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  Node: { lib: ['es2024'], types: ['node'] },
  Workers: { lib: ['es2024'], types: ['workers-types'] },
}
const compilers = [
  ['7', resolve('node_modules/typescript/bin/tsc')],
  ...(hasPrograms ? [['5.9', join(programs, 'typescript/bin/tsc')]] : []),
] as [string, string][]

test('every block of TypeScript is checked or run', () => {
  expect(shown.map(([name]) => name).sort()).toEqual([
    ...['mcp-0', 'mcp-reference-0', 'node-0', 'package-0', 'package-1', 'package-2'],
  ])
  expect(readFileSync('README.md', 'utf8')).not.toContain('```ts')
})

// The older version takes twenty times as long.
describe.each(compilers)('TypeScript %s', (version, tsc) => {
  const names = Object.keys(worlds) as (keyof typeof worlds)[]
  test.each(version === '7' ? names : names.slice(0, 1))(
    'type-checks a strict project with the types of %s',
    async (world) => {
      // A Worker and a browser have no process.
      const variables = 'declare const process: any;'
      for (const [name, code] of shown) {
        const needs = world !== 'Node' && code.includes('process.')
        packed.write(`strict/${name}.ts`, needs ? variables + code : code)
      }
      for (const module of ['nodenext', 'esnext']) {
        const compilerOptions = {
          module,
          moduleResolution: module === 'esnext' ? 'bundler' : module,
          ...{ target: 'es2024', strict: true, skipLibCheck: false, noEmit: true },
          ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
          ...worlds[world],
          typeRoots: ['@types', '@cloudflare'].map((it) => resolve('node_modules', it)),
        }
        packed.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['strict'] }))
        const said = await packed.run(process.execPath, [tsc]).catch((error) => error.stdout)
        expect(said).toBe('')
      }
    },
  )
})

/** Merges two wrangler.toml. The keys of `other` take precedence. */
function merged(toml: string, other: string): string {
  const keys = other.split('\n').map((line) => line.split(' = ')[0])
  return (
    other +
    toml
      .split('\n')
      .filter((line) => !keys.includes(line.split(' = ')[0]!))
      .join('\n')
  )
}

describe('in a Worker', () => {
  const count = { name: 'query', arguments: { sql: 'select count(*) as n from orders' } }
  const portions = { name: 'portions', arguments: { perPerson: 80, people: 4 } }
  const objects = `name = "core"
main = "index.ts"
compatibility_date = "2026-10-30"
durable_objects.bindings = [{ name = "SESSIONS", class_name = "McpSession" }]
migrations = [{ tag = "v1", new_sqlite_classes = ["McpSession"] }]`

  test.each([
    ['the gateway, in one file', worker, bundled, count, { rows: [[2400]] }],
    ['the gateway, as it was built', worker, merged(bundled, asBuilt), count, { rows: [[2400]] }],
    ['the protocol core', mcp, objects, portions, { total: 320 }],
  ])('%s answers a call', async (name, code, toml, call, answer) => {
    const folder = name.replaceAll(/\W+/g, '-')
    packed.write(`${folder}/index.ts`, code)
    packed.write(`${folder}/wrangler.toml`, toml.replaceAll('"node_modules', '"../node_modules'))
    const configPath = join(packed.project, folder, 'wrangler.toml')
    const harness = createTestHarness({ workers: [{ configPath }] })
    const { url } = await harness.listen()
    try {
      const response = await fetch(new URL('/mcp', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      })
      expect(await response.json()).toMatchObject({ result: { structuredContent: answer } })
    } finally {
      await harness.close()
    }
  })
})
