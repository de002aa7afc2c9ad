import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { spawned } from '../support/spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-own-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CONFIG = `main = "server.mjs"
durable_objects.bindings = [{ name = "SESSIONS", class_name = "McpSession" }]
vars = { GREETING = "Hello" }
`

/** Writes a server, and returns its folder. */
function serverOf(name: string, files: Record<string, string>): string {
  const own = mkdtempSync(join(folder, `${name}-`))
  for (const [path, text] of Object.entries(files))
    writeFileSync(join(own, path), text, { mode: 0o600 })
  return own
}

const MCP = join(process.cwd(), 'lib/mcp/index.js')

const greeter = `
import { tool, worker } from ${JSON.stringify(MCP)}
const greet = tool({
  name: 'greet',
  description: 'Greets.',
  input: { type: 'object', properties: {} },
  async run(_, context) {
    console.log('this goes to stderr')
    return process.env.HOME + '|' + context.client?.name
  },
})
const mcp = worker((env) => ({
  name: 'greeter', version: '1.0.0',
  instructions: [env.GREETING, env.SECRET, env.OTHER].join(','),
  tools: [greet],
}))
export const { McpSession } = mcp
export default mcp
`

describe('npx tidegate run', () => {
  test('serves a module with the variables in wrangler.toml, .dev.vars and the environment', async () => {
    const path = serverOf('greeter', {
      'wrangler.toml': CONFIG,
      'server.mjs': greeter,
      '.dev.vars': 'SECRET=s3cret\nOTHER=file\n',
    })
    const it = spawned(['run', path], { OTHER: 'environment' })
    const { result } = await it.ask('server/discover')
    expect(result.instructions).toBe('Hello,s3cret,environment')
    const called = await it.ask('tools/call', { name: 'greet', arguments: {} })
    expect(called.result.content).toMatchObject([{ text: '/nonexistent|test' }])
    expect(it.logs()).toContain('this goes to stderr')
    it.end()
    expect(await it.over).toEqual([0, null])
  })

  test('serves the current folder, and ends on SIGTERM', async () => {
    const path = serverOf('here', { 'wrangler.toml': CONFIG, 'server.mjs': greeter })
    const it = spawned(['run'], {}, path)
    const { result } = await it.initialize()
    expect(result.serverInfo.name).toBe('greeter')
    it.child.kill('SIGTERM')
    expect(await it.over).toEqual([0, null])
  })

  test.each<[string, Record<string, string>, string]>([
    ['no wrangler.toml', {}, 'There is no wrangler.toml in '],
    [
      'an invalid wrangler.toml',
      { 'wrangler.toml': 'main = ' },
      'is not valid in the format that its name implies.',
    ],
    ['no main', { 'wrangler.toml': 'name = "x"' }, 'wrangler.toml has no main'],
    ['no module', { 'wrangler.toml': CONFIG }, 'server.mjs to serve.'],
    [
      'a class that is not exported',
      {
        'wrangler.toml': CONFIG.replace('McpSession', 'Other'),
        'server.mjs': greeter,
      },
      'It does not export the class Other, which is bound as SESSIONS.',
    ],
    [
      'a default export that is something else',
      {
        'wrangler.toml': CONFIG,
        'server.mjs': 'export class McpSession {}\nexport default { fetch() {} }',
      },
      'Its default export is not what worker() from tidegate/mcp returns.',
    ],
  ])('explains what to fix: %s', async (_, files, sentence) => {
    const it = spawned(['run', serverOf('faulty', files)])
    const { error } = await it.ask('server/discover')
    expect(error.message).toContain(sentence)
    expect(it.logs()).toContain(sentence)
    it.end()
    expect(await it.over).toEqual([2, null])
  })

  test('reports where a module throws', async () => {
    const path = serverOf('broken', {
      'wrangler.toml': CONFIG,
      'server.mjs': 'throw new Error("no such luck")',
    })
    const it = spawned(['run', path])
    await it.ask('server/discover')
    it.end()
    expect(await it.over).toEqual([1, null])
    expect(it.logs()).toMatch(/no such luck.*server\.mjs/s)
  })

  test('reports bindings that exist only on Cloudflare', async () => {
    const more = `${CONFIG}[[kv_namespaces]]\nbinding = "KV"\nid = "x"\n`
    const path = serverOf('kv', { 'wrangler.toml': more, 'server.mjs': greeter })
    const it = spawned(['run', path])
    await it.ask('server/discover')
    expect(it.logs()).toContain(
      'Not available on this machine, though it is in wrangler.toml: kv_namespaces.',
    )
    it.end()
    await it.over
  })

  test.each([
    [['run', 'a', 'b'], 'Give one folder or one file.'],
    [['run', '/nonexistent'], 'There is no /nonexistent here.'],
    [['run', '--port', '1'], "Unknown option '--port'"],
  ])('explains what is wrong with %j', async (args, sentence) => {
    const path = serverOf('here', { 'wrangler.toml': CONFIG, 'server.mjs': greeter })
    const it = spawned(args, {}, path)
    it.end()
    expect(await it.over).toEqual([2, null])
    expect(it.logs()).toContain(sentence)
  })
})
