import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../src/command/new/project.ts'
import { type Packed, pack } from './support/packed.ts'
import { freePort } from './support/port.ts'
import { post } from './support/worker.ts'

const run = promisify(execFile)

describe('npx tidegate new', () => {
  let packed: Packed
  let command: string
  /** Runs a program in a new project. */
  const within = async (project: string, program: string, ...args: string[]) => {
    const env = { ...process.env, HOME: packed.home, WRANGLER_SEND_METRICS: 'false' }
    const cwd = join(packed.project, project)
    return (await run(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout
  }
  const made = (...args: string[]) => packed.run(process.execPath, [command, 'new', ...args])

  beforeAll(async () => {
    packed = await pack()
    command = join(packed.project, 'node_modules/tidegate/bin/tidegate.mjs')
    await made('my-server', '--package', packed.tarball)
    await within('my-server', 'npm', 'install', '--no-audit', '--no-fund')
  }, 600_000)
  afterAll(() => packed && rmSync(dirname(packed.tarball), { recursive: true }))

  test('makes a project that passes its test and that wrangler can deploy', async () => {
    expect(await within('my-server', 'npm', 'test')).toMatch(/pass 2\b/)
    await within('my-server', 'npm', 'run', 'types')
    const said = await within('my-server', 'npm', 'run', 'deploy', '--', '--dry-run')
    expect(said).toContain('--dry-run: exiting now.')
    expect(said).toContain('env.SESSIONS')
  })

  test('makes a test that fails if a tool has no description', async () => {
    const path = join(packed.project, 'my-server/server.ts')
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before.replace("'Divide a by b.'", "''"))
    try {
      await expect(within('my-server', 'npm', 'test')).rejects.toThrow()
    } finally {
      writeFileSync(path, before)
    }
  })

  test('makes a project that serves HTTP', async () => {
    const port = await freePort()
    const cwd = join(packed.project, 'my-server')
    // The command of `npm start`, without a shell that would outlive the test.
    expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')).scripts.start).toBe(
      'node start.mjs',
    )
    const child = spawn(process.execPath, ['start.mjs', '--port', String(port)], {
      ...{ cwd, stdio: 'ignore' },
      env: { ...process.env, HOME: packed.home },
    })
    try {
      const params = { name: 'add', arguments: { a: 1, b: 2 } }
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const url = `http://127.0.0.1:${port}/mcp`
      const asked = () => post(url, call).then(({ json }) => json().result.structuredContent)
      await expect.poll(() => asked().catch(() => {}), { timeout: 90_000 }).toEqual({ result: 3 })
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  })

  // The project above is made from calculator.
  const others = examples().filter((it) => it !== 'calculator')
  describe.each(others)('from %s', (from) => {
    test('makes a project that type-checks, passes its test and can be deployed', async () => {
      const name = `like-${from}`
      await made(name, '--from', from)
      const modules = join(packed.project, 'my-server/node_modules')
      symlinkSync(modules, join(packed.project, name, 'node_modules'), 'dir')
      await within(name, 'npm', 'run', 'types')
      expect(await within(name, 'npm', 'test')).toMatch(/pass 2\b/)
      const said = await within(name, 'npm', 'run', 'deploy', '--', '--dry-run')
      expect(said).toContain('--dry-run: exiting now.')
      const page = readFileSync(join(packed.project, name, 'README.md'), 'utf8')
      expect(page).not.toMatch(/npm run example|examples\/|\]\(\.\.|\b(?:a|the|and|with)\n\n/)
      expect(readFileSync(join(packed.project, name, 'wrangler.toml'), 'utf8')).toContain(
        `name = "${name}"`,
      )
    })
  })

  test.each([
    [['Bad Name'], 'A server name can have only lowercase letters, digits and "-".'],
    [
      ['good', '--from', 'nothing'],
      'There is no such example. Name one of: browser-and-sheets, calculator',
    ],
    [['full'], 'full is not empty. Name another folder.'],
  ])('explains what is wrong with %j', async (args, sentence) => {
    mkdirSync(join(packed.project, 'full'), { recursive: true })
    writeFileSync(join(packed.project, 'full/file'), '')
    await expect(made(...args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence),
    })
  })
})
