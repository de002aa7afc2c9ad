import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/command/commands.ts'
import { options as serving } from '../../src/command/run/arguments.ts'
import { freePort } from '../support/port.ts'
import { plainVars, program, spawned } from '../support/spawned.ts'

const isRoot = process.getuid?.() === 0
const folder = mkdtempSync(join(tmpdir(), 'private-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PASSWORD = 'postgres://reader:hunter2@127.0.0.1:9/shop'
const endpoints = (url: string) =>
  JSON.stringify([{ name: 'shop', title: 'Shop', databases: { shop: { url } } }])

/** A way to pass a file with a secret to a command: its text, and the arguments that name it. */
interface Way {
  readonly text: string
  args(path: string): string[]
  /** Variables that name it instead. */
  vars?(path: string): Record<string, string>
}

/** The options that take a file, by command. A new one needs an entry here. */
const ways: Readonly<Record<string, Way>> = {
  'tidegate --config': { text: endpoints(PASSWORD), args: (it) => ['--config', it] },
  'tidegate --vars': { text: 'A=b\n', args: (it) => ['--demo', '--vars', it] },
  'tidegate --env-file': { text: 'A=b\n', args: (it) => ['--demo', '--env-file', it] },
  'tidegate --ssh-key': {
    text: 'key',
    args: (it) => ['postgres://a@b/c', '--ssh', 'nobody@127.0.0.1', '--ssh-key', it],
  },
  'serve --config': { text: endpoints(PASSWORD), args: (it) => ['serve', '--config', it] },
  'serve --vars': { text: 'A=b\n', args: (it) => ['serve', '--demo', '--vars', it] },
  'serve --env-file': { text: 'A=b\n', args: (it) => ['serve', '--demo', '--env-file', it] },
  'serve --ssh-key': {
    text: 'key',
    args: (it) => ['serve', '--demo', '--ssh', 'nobody@127.0.0.1', '--ssh-key', it],
  },
  'serve --state': { text: '', args: (it) => ['serve', '--demo', '--state', it] },
  'doctor --config': { text: endpoints(PASSWORD), args: (it) => ['doctor', '--config', it] },
  'doctor --vars': { text: 'A=b\n', args: (it) => ['doctor', '--demo', '--vars', it] },
  'doctor --env-file': { text: 'A=b\n', args: (it) => ['doctor', '--demo', '--env-file', it] },
  'doctor --ssh-key': {
    text: 'key',
    args: (it) => ['doctor', '--demo', '--ssh', 'nobody@127.0.0.1', '--ssh-key', it],
  },
  'apply --file': { text: endpoints(PASSWORD), args: (it) => ['apply', '-f', it] },
  'group apply --file': { text: endpoints(PASSWORD), args: (it) => ['group', 'apply', '-f', it] },
  'restore --file': { text: endpoints(PASSWORD), args: (it) => ['restore', '-f', it] },
}
/** The options that only write the name of a file into a host's configuration. Another command reads the file. */
const named = ['add --config', 'add --vars', 'add --env-file', 'add --ssh-key']

/** The files with secrets that no option of this kind names. */
const others: Readonly<Record<string, Way>> = {
  'the keys next to --state': {
    text: 'TIDEGATE_KEY=tg_0123456789012345678901234567890\n',
    args: (it) => ['serve', '--demo', '--state', it.replace(/\.keys$/, '')],
  },
  ...Object.fromEntries(
    ['DATABASE_URL', 'ENDPOINTS', 'TIDEGATE_KEY', 'TIDEGATE_SECRET'].map((name): [string, Way] => [
      `${name}_FILE`,
      { text: PASSWORD, args: () => ['serve'], vars: (it) => ({ [`${name}_FILE`]: it }) },
    ]),
  ),
  SSH_KEY: {
    text: 'key',
    args: () => ['postgres://a@b/c', '--ssh', 'nobody@127.0.0.1'],
    vars: (it) => ({ SSH_KEY: it }),
  },
  'tidegate run --state': { text: '', args: (it) => ['run', own, '--state', it] },
}
const own = resolve('examples/calculator')

/** Every option whose value is a file, by command. */
const takingFiles = (
  Object.entries({ tidegate: serving.stdio, serve: serving.http }) as [string, object][]
)
  .concat(commands.map(({ words, options }) => [words, options ?? {}]))
  .flatMap(([words, options]) =>
    Object.entries(options as Record<string, { value?: string }>)
      .filter(([, { value }]) => /FILE|PATH/.test(value ?? ''))
      .map(([name]) => `${words} --${name}`),
  )

test('every option that takes a file is listed here', () => {
  expect(takingFiles.toSorted()).toEqual([...Object.keys(ways), ...named].toSorted())
})

let count = 0
function fileOf(text: string, mode: number): string {
  const path = join(folder, `${++count}.keys`)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Runs a command without stdin until it ends or serves. */
async function said({ args, vars }: Way, path: string, more: Record<string, string> = {}) {
  const all = args(path)
  const port = all[0] === 'serve' ? ['--port', '0'] : []
  const key = vars ? {} : { TIDEGATE_KEY: 'tg_0123456789012345678901234567890' }
  // No server listens there.
  const to = { TIDEGATE_URL: 'http://127.0.0.1:9' }
  const child = spawn(process.execPath, [program, ...all, ...port], {
    env: { ...plainVars(), ...key, ...to, ...vars?.(path), ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece
    if (stderr.includes('Serves http')) child.kill('SIGKILL')
  })
  const [status] = await once(child, 'close')
  return { stderr, status }
}

describe.skipIf(process.platform === 'win32')('a file with a secret', () => {
  test.each(Object.entries({ ...ways, ...others }))(
    'is refused if others can read or change it: %s',
    async (_, way) => {
      for (const [mode, what] of [
        [0o644, 'read'],
        [0o640, 'read'],
        [0o622, 'change'],
      ] as const) {
        const path = fileOf(way.text, mode)
        const { stderr, status } = await said(way, path)
        expect(stderr).toContain(
          `Other users of this machine can ${what} ${path}, which holds secrets. Keep it to yourself: chmod 600 ${path}\n`,
        )
        expect(stderr).not.toContain('hunter2')
        expect(status).toBe(2)
      }
    },
    60_000,
  )

  test.each(Object.entries({ ...ways, ...others }))(
    'is accepted if only this user has access: %s',
    async (_, way) => {
      expect((await said(way, fileOf(way.text, 0o600))).stderr).not.toMatch(/chmod|chown/)
    },
    60_000,
  )

  const vars = ways['serve --vars']!

  test('is also checked behind a symbolic link', async () => {
    const link = join(folder, 'link')
    symlinkSync(fileOf('A=b\n', 0o644), link)
    expect((await said(vars, link)).stderr).toContain(`chmod 600 ${link}\n`)
  })

  test.runIf(isRoot)('is refused if it belongs to another user', async () => {
    const path = fileOf('A=b\n', 0o600)
    chownSync(path, 4_321, 4_321)
    const { stderr, status } = await said(vars, path)
    expect(stderr).toContain(
      `${path} belongs to another user, who can change it. Make it yours: chown 0 ${path} && chmod 600 ${path}\n`,
    )
    expect(status).toBe(2)
  })

  test('is not checked in a container', async () => {
    const path = fileOf('', 0o644)
    const port = { ...vars, args: () => ['serve', '--demo', '--vars', path] }
    for (const name of ['container', 'KUBERNETES_SERVICE_HOST'])
      expect((await said(port, path, { [name]: 'oci' })).stderr).toContain(
        'has no line NAME=value.',
      )
  })

  test('can be readable for others if it has no secret in it', async () => {
    const path = fileOf(endpoints('postgres://reader@127.0.0.1:9/shop'), 0o644)
    expect((await said(ways['serve --config']!, path)).stderr).not.toContain('chmod')
    expect((await said(ways['apply --file']!, path)).stderr).not.toContain('chmod')
    for (const url of ['supabase://:TOKEN@abcdefghijklmnopqrst', 'libsql://a.b?authToken=c']) {
      const secret = fileOf(endpoints(url), 0o644)
      expect((await said(ways['tidegate --config']!, secret)).stderr).toContain(
        `chmod 600 ${secret}\n`,
      )
    }
  }, 60_000)

  test('is also checked if it is the .dev.vars of a project', async () => {
    const path = join(folder, 'own')
    cpSync(own, path, { recursive: true })
    const file = join(path, '.dev.vars')
    writeFileSync(file, 'A=b\n')
    chmodSync(file, 0o644)
    const { stderr } = await said({ text: '', args: () => ['run', path] }, path)
    expect(stderr).toContain(`chmod 600 ${file}\n`)
    const args = [resolve('bin/new/start.mjs'), '--port', '1']
    const start = () => spawnSync(process.execPath, args, { cwd: path, encoding: 'utf8' })
    expect(start()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('chmod 600 .dev.vars\n'),
    })
    chmodSync(file, 0o600)
    if (isRoot) {
      chownSync(file, 4_321, 4_321)
      expect(start().stderr).toContain('.dev.vars belongs to another user')
      chownSync(file, 0, 0)
    }
    mkdirSync(join(path, '.wrangler/state'), { recursive: true })
    expect(start().stderr).toContain('chmod 700 .wrangler/state\n')
    // Without a .dev.vars, Wrangler reads this file.
    renameSync(file, join(path, '.env'))
    chmodSync(join(path, '.env'), 0o644)
    expect(start().stderr).toContain('chmod 600 .env\n')
  }, 60_000)

  test.each(['', '.objects', '.keys', '-wal', '-shm', '-journal'])(
    'is also checked if it is a file of the state: STATE%s',
    async (end) => {
      const way = ways['serve --state']!
      const state = fileOf('', 0o600)
      const path = state + end
      writeFileSync(path, '')
      chmodSync(path, 0o666)
      expect((await said(way, state)).stderr).toContain(`chmod 600 ${path}\n`)
    },
    60_000,
  )

  test('is also checked if it is the .dev.vars of a clone, by npm start and by the commands', () => {
    const clone = join(folder, 'clone')
    for (const it of ['bin', 'lib', 'scripts']) cpSync(it, join(clone, it), { recursive: true })
    for (const it of ['package.json', 'package-lock.json']) cpSync(it, join(clone, it))
    symlinkSync(resolve('node_modules'), join(clone, 'node_modules'), 'dir')
    const file = join(clone, '.dev.vars')
    writeFileSync(file, 'TIDEGATE_KEY=tg_0123456789012345678901234567890\n')
    chmodSync(file, 0o644)
    const start = spawnSync(process.execPath, ['scripts/start.mjs', '--port', '9'], {
      cwd: clone,
      env: plainVars(),
      encoding: 'utf8',
    })
    expect(start.stderr).toContain('chmod 600 .dev.vars\n')
    const list = spawnSync(
      process.execPath,
      [join(clone, 'bin/tidegate.mjs'), 'endpoint', 'list'],
      {
        env: plainVars(),
        encoding: 'utf8',
      },
    )
    expect(list.stderr).toContain(`chmod 600 ${file}\n`)
  }, 60_000)
})

describe.skipIf(process.platform === 'win32')('the files that a command makes', () => {
  const loose = (path: string) =>
    globSync('**/*', { cwd: path })
      .map((it) => join(path, it))
      .filter((it) => (statSync(it).mode & 0o077) !== 0)

  test('are only for this user with any umask: a project', () => {
    const made = join(folder, 'project')
    spawnSync('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, program, 'new', made])
    expect(statSync(join(made, 'server.ts')).isFile()).toBe(true)
    expect(statSync(made).mode & 0o077).toBe(0)
    expect(loose(made)).toEqual([])
  })

  test('are only for this user with any umask: the state, the keys and the files next to them', async () => {
    const place = join(folder, 'state')
    mkdirSync(place)
    const before = process.umask(0)
    const port = await freePort()
    const args = ['serve', '--demo', '--port', String(port), '--state', join(place, 'it.sqlite')]
    const it = spawned(args)
    process.umask(before)
    await expect.poll(it.logs, { timeout: 60_000 }).toContain('Serves http')
    const [, key] = /Generated a key: (\S+)/.exec(it.logs()) ?? []
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const databases = { shop: { url: 'demo:' } }
    const body = JSON.stringify({ name: 'shop', title: 'Shop', databases })
    const url = `http://127.0.0.1:${port}/api/endpoints`
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201)
    expect(globSync('**/*', { cwd: place }).length).toBeGreaterThan(3)
    expect(loose(place)).toEqual([])
    it.child.kill('SIGTERM')
    await it.over
    expect(loose(place)).toEqual([])
  }, 90_000)
})
