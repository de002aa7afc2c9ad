import { execFile, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from './support/port.ts'
import { startPostgres } from './support/postgres.ts'
import { post } from './support/worker.ts'

const run = promisify(execFile)
const KEY = 'key-of-the-container'
const MINUTES = 600_000

const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0
const isRoot = process.getuid?.() === 0

const folder = mkdtempSync(join(tmpdir(), 'tidegate-docker-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A line of the Dockerfile: its instruction and its arguments. */
interface Line {
  readonly does: string
  readonly text: string
}

const lines: readonly Line[] = readFileSync('Dockerfile', 'utf8')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n')
  .flatMap((line) => {
    const [, does, text] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return does && text ? [{ does, text }] : []
  })
const last = (does: string): string => lines.findLast((it) => it.does === does)!.text

/** Checks the health of a container, its tools with the key, and its API without the key. */
async function assertServes(url: string): Promise<void> {
  for (let left = 100; ; left--) {
    const health = await fetch(`${url}/health`).catch(() => undefined)
    if (health?.ok) break
    if (left === 0) throw new Error('It does not get healthy.')
    await sleep(200)
  }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const answer = await post(`${url}/mcp`, list, { authorization: `Bearer ${KEY}` })
  expect(answer.status).toBe(200)
  expect(answer.json().result.tools.length).toBeGreaterThan(3)
  expect((await post(`${url}/api/status`, '')).status).toBe(401)
}

test('the image has few privileges', () => {
  expect(last('USER')).toBe('1000:1000')
  expect(last('ENTRYPOINT')).toContain('/app/node_modules/tidegate/bin/tidegate.mjs')
  expect(lines.map(({ text }) => text)).toContain('apk add --no-cache openssh-client-default')
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
  expect(ignored[0]).toBe('*')
  expect(ignored.filter((it) => /vars|env|secret/.test(it))).toEqual([])
})

describe.runIf(hasEngine)('the image, built with Docker', () => {
  const tag = `tidegate-test-${process.pid}`
  afterAll(() => void spawnSync('docker', ['rmi', '--force', tag]))

  test(
    'serves on a read-only file system, and is healthy',
    async () => {
      await run('docker', ['build', '--tag', tag, '.'])
      const port = await freePort()
      const hardened = [
        '--read-only',
        '--tmpfs',
        '/tmp',
        '--cap-drop',
        'ALL',
        '--tmpfs',
        '/state:uid=1000',
      ]
      const secret = ['--env', `TIDEGATE_KEY=${KEY}`, '--publish', `127.0.0.1:${port}:8787`]
      const { stdout } = await run('docker', [
        'run',
        '--detach',
        '--rm',
        ...hardened,
        ...secret,
        tag,
      ])
      try {
        await assertServes(`http://127.0.0.1:${port}`)
      } finally {
        await run('docker', ['stop', stdout.trim()])
      }
    },
    MINUTES,
  )
})

describe.runIf(!hasEngine && process.platform === 'linux')('the steps of the Dockerfile', () => {
  test(
    'make a server that runs as another user on a read-only file system, and is healthy',
    async () => {
      const image = await build()
      const port = await freePort()
      const key = join(image, 'key')
      writeFileSync(key, `${KEY}\n`, { mode: 0o644 })
      const at = (text: string) => within(image, text).replaceAll('8787', `${port}`)
      const program = [...JSON.parse(at(last('ENTRYPOINT'))), ...JSON.parse(at(last('CMD')))]
      const server = spawn(...contained(image, program), {
        env: {
          ...Object.fromEntries(
            last('ENV')
              .split(' ')
              .map((it) => it.split('=')),
          ),
          ...{ PATH: process.env.PATH, HOME: '/nonexistent', TIDEGATE_KEY_FILE: key },
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      try {
        const health = JSON.parse(at(/\[.*\]/.exec(last('HEALTHCHECK'))![0])) as string[]
        await assertServes(`http://127.0.0.1:${port}`)
        expect(spawnSync(health[0]!, health.slice(1)).status).toBe(0)
        const sbom = JSON.parse(readFileSync(join(image, 'app/sbom.spdx.json'), 'utf8'))
        expect(sbom.packages.map(({ name }: { name: string }) => name)).toContain('tidegate')
        server.kill('SIGTERM')
        const [code] = await new Promise<[number | null]>((done) =>
          server.once('exit', (it) => done([it])),
        )
        expect(code).toBe(0)
        expect(spawnSync(health[0]!, health.slice(1)).status).toBe(1)
      } finally {
        server.kill('SIGKILL')
      }
    },
    MINUTES,
  )
})

/** Runs the steps of every stage, each in its own folder. @returns the folder of the last stage */
async function build(): Promise<string> {
  const stages = new Map<string, string>()
  let [root, workdir, count] = ['', '/', 0]
  for (const { does, text } of lines) {
    if (does === 'FROM') {
      root = join(folder, `stage-${count++}`)
      workdir = '/'
      stages.set(/ AS (\w+)/.exec(text)?.[1] ?? '', root)
    } else if (does === 'WORKDIR') workdir = text
    else if (does === 'COPY') copy(text, root, workdir, stages)
    // Alpine packages can be installed only on Alpine.
    else if (does === 'RUN' && !text.startsWith('apk '))
      await step(within(root, text), join(root, workdir))
    mkdirSync(join(root, workdir), { recursive: true })
  }
  return root
}

/** Maps the paths of an image into the folder that stands for it. */
const within = (root: string, text: string): string =>
  text.replace(/(?<![\w.])\/(build|app|state|usr\/local)\b/g, `${root}/$1`)

function copy(
  text: string,
  root: string,
  workdir: string,
  stages: ReadonlyMap<string, string>,
): void {
  const [, stage] = /--from=(\w+)/.exec(text) ?? []
  const names = text.split(' ').filter((it) => !it.startsWith('--'))
  const target = names.pop()!
  for (const name of names) {
    const place = join(root, target.startsWith('/') ? '' : workdir, target)
    if (stage) cpSync(join(stages.get(stage)!, name), place, { recursive: true })
    else if (name === '.') for (const it of sent()) put(it, join(place, it))
    else put(name, join(place, name.split('/').at(-1)!))
  }
}

const put = (from: string, to: string) => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}

/** The paths that .dockerignore includes. */
const sent = (): string[] =>
  readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))

async function step(command: string, cwd: string): Promise<void> {
  // The packages are already installed here.
  const here = `${process.cwd()}/node_modules`
  const there = `cp -al ${here} node_modules 2>/dev/null || cp -a ${here} node_modules`
  await run('sh', ['-c', command === 'npm ci' ? there : command], { cwd })
}

/** Runs a program as in a container: as another user, with only its state writable. */
function contained(image: string, program: readonly string[]): [string, string[]] {
  if (!isRoot) return [program[0]!, program.slice(1)]
  const mounts = [
    `mount --bind '${image}' '${image}'`,
    `mount -o remount,bind,ro '${image}'`,
    `mount --bind '${image}/state' '${image}/state'`,
    `mount -o remount,bind,rw '${image}/state'`,
  ]
  const user = 'setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set -all'
  const line = `chmod 755 '${folder}' && ${mounts.join(' && ')} && exec ${user} "$@"`
  return ['unshare', ['--mount', 'sh', '-c', line, 'sh', ...program]]
}

const hasPsql = spawnSync('psql', ['--version'], { stdio: 'ignore' }).status === 0

test.runIf(hasPsql)('the role in compose.yaml can read everything and write nothing', async () => {
  const postgres = await startPostgres('create schema s; create table s.t as select 1 as n')
  if (!postgres) return
  const { host, port, user, password, database } = postgres.config
  const role = `${postgres.reader}_docker`
  const secret = join(folder, 'reader_password')
  writeFileSync(secret, 'it\'s a "secret"\n')
  try {
    await run('examples/docker/reader.sh', [], {
      env: {
        PATH: process.env.PATH,
        PGHOST: String(host),
        PGPORT: String(port),
        PGPASSWORD: typeof password === 'string' ? password : '',
        POSTGRES_USER: user,
        POSTGRES_DB: database,
        READER: role,
        READER_PASSWORD_FILE: secret,
      },
    })
    const reader = new pg.Client({ ...postgres.config, user: role, password: 'it\'s a "secret"' })
    await reader.connect()
    try {
      expect((await reader.query('select n from s.t')).rows).toEqual([{ n: 1 }])
      for (const write of [
        'insert into s.t values (2)',
        'set transaction read write; delete from s.t',
      ])
        await expect(reader.query(write)).rejects.toThrow(/read-only|permission denied/)
    } finally {
      await reader.end()
    }
  } finally {
    await postgres.admin(`drop owned by "${role}"`).catch(() => {})
    await postgres.admin(`drop role if exists "${role}"`)
    await postgres.drop()
  }
})
