import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeProject } from '../../src/command/new/project.ts'
import {
  answersAsDebugger,
  argumentsOf,
  type Listening,
  listeningOf,
  treeOf,
} from '../support/listening.ts'
import { freePort } from '../support/port.ts'

/** The scripts of package.json by what they do. Every script that serves is started below. */
const root = {
  serves: ['start', 'worker', 'example'],
  // Some start servers for tests on loopback ports, with made-up data.
  servesNobody: [
    ...['answers', 'attack', 'bench', 'build', 'check', 'conformance', 'deploy', 'format', 'fuzz'],
    ...['lint', 'mcpb', 'prepack', 'screenshots', 'size', 'test', 'types', 'watch'],
  ],
}
/** The same for a project that `npx tidegate new` makes. */
const project = { serves: ['start'], servesNobody: ['deploy', 'stdio', 'test', 'types'] }

const folder = mkdtempSync(join(tmpdir(), 'listening-'))
const made = join(folder, 'project')
const scriptsIn = (path: string): string[] =>
  Object.keys(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).scripts).sort()

let started: ChildProcess | undefined
beforeAll(() => {
  makeProject(made, { name: 'project', from: 'calculator' })
  mkdirSync(join(made, 'node_modules'))
  for (const it of ['zod', 'wrangler']) {
    symlinkSync(resolve('node_modules', it), join(made, 'node_modules', it), 'dir')
  }
  symlinkSync(resolve('.'), join(made, 'node_modules/tidegate'), 'dir')
})
afterEach(() => end(started))
afterAll(() => rmSync(folder, { recursive: true }))

/** Ends a process with all its child processes. */
async function end(child: ChildProcess | undefined) {
  if (child?.exitCode !== null) return
  const all = treeOf(child.pid!)
  for (const pid of all) {
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      // It has already ended.
    }
  }
  await expect.poll(() => all.flatMap(listeningOf), { timeout: 30_000 }).toEqual([])
}

/** Starts a command, and waits until its port answers. Returns its processes. */
async function serve(line: readonly string[], port: number, cwd = '.') {
  const vars = { TIDEGATE_KEY: 'tg_key_of_this_test_0123456789', TIDEGATE_SECRET: 's'.repeat(40) }
  const [program, ...args] = line
  started = spawn(program!, args, {
    cwd,
    env: { ...process.env, ...vars, WRANGLER_SEND_METRICS: 'false' },
    stdio: 'ignore',
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      ({ status }) => status,
      () => undefined,
    )
  await expect.poll(answers, { timeout: 120_000, interval: 200 }).toBeTypeOf('number')
  return treeOf(started.pid!)
}

const listed = (pids: readonly number[]): Listening[] => pids.flatMap(listeningOf)

describe.runIf(process.platform === 'linux')('the listening ports', () => {
  test('are tested for every script', () => {
    expect([...root.serves, ...root.servesNobody].sort()).toEqual(scriptsIn('.'))
    expect([...project.serves, ...project.servesNobody].sort()).toEqual(scriptsIn(made))
  })

  test('include the port of a debugger', async () => {
    const port = await freePort()
    started = spawn(process.execPath, [
      `--inspect=127.0.0.1:${port}`,
      '-e',
      'setInterval(Date, 9e6)',
    ])
    const found = () => listeningOf(started!.pid!)
    await expect.poll(found, { timeout: 30_000 }).toEqual([{ address: '127.0.0.1', port }])
    expect(await answersAsDebugger(port)).toBe(true)
  })

  // On Node, only the requested port is open.
  test.each([
    ['npm start', ['npm', 'start', '--'], '127.0.0.1'],
    ['tidegate serve', [process.execPath, 'bin/tidegate.mjs', 'serve', '--demo'], '127.0.0.1'],
    [
      'tidegate serve --host',
      [process.execPath, 'bin/tidegate.mjs', 'serve', '--host', '0.0.0.0'],
      '0.0.0.0',
    ],
  ] as const)(
    'of %s are only the requested one',
    async (name, line, address) => {
      const port = await freePort()
      const state = name === 'npm start' ? ['--state', join(folder, 'start.sqlite')] : []
      const pids = await serve([...line, '--port', String(port), ...state], port)
      expect(listed(pids)).toEqual([{ address, port }])
      expect(await answersAsDebugger(port)).toBe(false)
      expect(pids.filter((pid) => DEBUGGING.test(argumentsOf(pid)))).toEqual([])
    },
    180_000,
  )

  // The parts of the runtime use three more ports between them: see docs/connections.md.
  test.each([
    ['npm run worker', ['npm', 'run', 'worker', '--'], '.'],
    ['npm run example', ['npm', 'run', 'example', 'calculator', '--'], '.'],
    ['npm start of a new project', ['npm', 'start', '--'], made],
  ] as const)(
    'of %s are only on loopback, without a debugger',
    async (_, line, cwd) => {
      const port = await freePort()
      const pids = await serve([...line, '--port', String(port)], port, cwd)
      const found = listed(pids)
      expect(found).toContainEqual({ address: '127.0.0.1', port })
      expect(found.filter(({ address }) => address !== '127.0.0.1')).toEqual([])
      expect(found.length).toBeLessThanOrEqual(4)
      for (const { port } of found) expect(await answersAsDebugger(port)).toBe(false)
      expect(pids.filter((pid) => DEBUGGING.test(argumentsOf(pid)))).toEqual([])
    },
    180_000,
  )

  // A host that starts a command talks to it over a pipe.
  test.each([
    ['tidegate', ['bin/tidegate.mjs', '--demo']],
    ['tidegate run', ['bin/tidegate.mjs', 'run', 'examples/calculator']],
  ])(
    'of %s over stdio are none',
    async (_, args) => {
      started = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
      let said = ''
      started.stdout!.on('data', (chunk) => (said += chunk))
      started.stdin!.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
      await expect.poll(() => said, { timeout: 60_000 }).toContain('"id":1')
      expect(listed(treeOf(started.pid!))).toEqual([])
    },
    90_000,
  )
})

/** The options that open a debugger of Node or of the runtime. */
const DEBUGGING = /--(?:inspect|inspector-addr|debug-port)\b/
