import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from '../../src/database/database.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { rqlite } from '../../src/database/rqlite/driver.ts'
import { sqlite as dialect } from '../../src/database/sqlite/dialect.ts'
import { file } from '../../src/database/sqlite/file.ts'
import { libsql } from '../../src/database/sqlite/libsql.ts'
import { startHrana } from '../servers/hrana.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { type SqliteServer, TOKEN } from '../servers/sqlite-child.ts'
import { startRaw } from '../servers/sqlite-raw.ts'
import { passOn, startTcp } from '../servers/tcp.ts'
import { leftOutOnNode, onNode, onStdio, startNodeWorker } from '../support/node-worker.ts'
import { makeSqliteFile } from '../support/sqlite-file.ts'
import { filesNamedIn, type NamedFiles, type Scene } from '../support/witness.ts'
import { startWorker } from '../support/worker.ts'
import { type Engine, nothing, type Place, startEndpoints, type Unlayered } from './place.ts'
import { tables } from './sqlite-tables.ts'

const io = { fetch, bindings: {} }

/**
 * SQLite as the demo store, as D1, behind our own servers for libSQL and rqlite, and as a file on this machine.
 */
export async function startSqlite(statements: readonly string[]): Promise<Engine> {
  leftOutOnNode(
    onStdio
      ? 'D1 is a binding, and over stdio nobody sees into a demo store.'
      : 'D1 is a binding, and only a Worker has bindings.',
  )
  const files = filesNamedIn(statements)
  const raw = await startUnguarded(files)
  const started = [
    ...(onStdio ? [] : [await startBound(raw.unlayered)]),
    await startBehind(ofLibsql, files, raw.unlayered),
    await startBehind(ofRqlite, files, raw.unlayered),
    await startFile(files, raw.unlayered),
  ]
  return {
    title: `SQLite ${process.versions.sqlite}`,
    places: started.flatMap(({ places }) => places),
    async close() {
      for (const it of started) await it.close()
      raw.close()
    },
  }
}

/** The demo store and D1. `worker.ts` returns their contents, and has their drivers without the guard. */
async function startBound(guardAlone: Unlayered) {
  const start = async () => {
    const urls = onNode ? { demo: 'demo:' } : { demo: 'demo:', d1: 'd1:DB' }
    const started = await startEndpoints(urls, (variables) =>
      onNode
        ? startNodeWorker(variables, 'test/attack/worker.ts')
        : startWorker(variables, './test/attack/wrangler.toml'),
    )
    if (!onNode) await fetch(`${started.url}/fill`)
    return started
  }
  let worker = await start()
  const revive = async () => {
    await worker.close()
    worker = await start()
  }
  const patience = () => ({ signal: AbortSignal.timeout(10_000) })
  const placeOf = (name: string, way: string): Place => ({
    way,
    role: '–',
    secrets: [],
    guardAlone,
    tools: (...args) => worker.toolsOf(name)(...args),
    scene: {
      state: async () => (await fetch(`${worker.url}/state/${name}`, patience())).text(),
      restore: revive,
    },
    revive,
    engineAlone: {
      async query({ sql }, limits) {
        const body = JSON.stringify({ sql, limits })
        const request = { method: 'POST', body, ...patience() }
        const response = await fetch(`${worker.url}/driver/${name}`, request)
        const answer = JSON.parse(await response.text())
        if (!response.ok) throw new Error(answer.message)
        return answer
      },
    },
  })
  const endless = 'D1 itself ends a statement after 30 s, and nothing does so in workerd'
  const d1 = onNode ? [] : [{ ...placeOf('d1', 'D1'), endless }]
  return {
    places: [placeOf('demo', 'demo store'), ...d1],
    close: () => worker.close(),
  }
}

/** A protocol, with our server and our driver for it. */
interface Behind {
  readonly name: string
  readonly way: string
  readonly driver: Driver
  readonly start: (setup: Iterable<string>) => Promise<SqliteServer>
  readonly url: (port: number) => string
}

const ofLibsql: Behind = {
  name: 'libsql',
  way: 'libSQL',
  driver: libsql,
  start: startHrana,
  url: (port) => `libsql://127.0.0.1:${port}?authToken=${TOKEN}`,
}

const ofRqlite: Behind = {
  name: 'rqlite',
  way: 'rqlite',
  driver: rqlite,
  start: startRqlite,
  url: (port) => `rqlite://reader:${TOKEN}@127.0.0.1:${port}`,
}

/** One protocol, at an address that stays the same when another server replaces one that hangs. */
async function startBehind(by: Behind, files: NamedFiles, guardAlone: Unlayered) {
  let server = await by.start(tables('fts4'))
  const door = await startTcp((socket) => passOn(socket, server.port))
  const url = by.url(door.port)
  const revive = async () => {
    server.close()
    server = await by.start(tables('fts4'))
  }
  const worker = await startEndpoints({ [by.name]: url })
  const place: Place = {
    way: by.way,
    role: '–',
    secrets: [TOKEN],
    guardAlone,
    tools: worker.toolsOf(by.name),
    scene: sceneOf(() => server, files, revive),
    revive,
    engineAlone: by.driver.open(new URL(url), io),
  }
  return {
    places: [place],
    async close() {
      await worker.close()
      await door.close()
      server.close()
    },
  }
}

/** A file, which the gateway on Node reads, even if the other tests use workerd. */
async function startFile(files: NamedFiles, guardAlone: Unlayered) {
  const { path, folder, url, io, close } = makeSqliteFile(tables('fts4'))
  const bytes = readFileSync(path)
  const gateway = await startEndpoints({ file: url }, onNode ? startWorker : startNodeWorker)
  const tools = gateway.toolsOf('file')
  const engineAlone = file.open(new URL(url), io)
  const place: Place = {
    way: 'file',
    role: '–',
    secrets: [folder],
    guardAlone,
    tools,
    engineAlone,
    scene: {
      // Compares bytes, time and inode, because a rewritten file is not the same file to a process that has it open.
      state: async () => {
        const { mtimeMs, ino } = statSync(path)
        const found = [readFileSync(path).toString('base64'), mtimeMs, ino, ...readdirSync(folder)]
        return found.join(' ') + files.seen()
      },
      async restore() {
        files.removeNew()
        for (const it of readdirSync(folder)) rmSync(join(folder, it), { recursive: true })
        writeFileSync(path, bytes)
      },
    },
    // Starting a process takes time, which must not count for the next statement.
    async revive() {
      const limits = { maxRows: 1, maxBytes: 1_000, timeoutMs: 20_000 }
      await tools('query', { sql: 'select 1' }, true)
      await engineAlone.query({ sql: 'select 1' }, limits)
    },
  }
  return {
    places: [place],
    async close() {
      await gateway.close()
      await close()
    },
  }
}

/** The SQLite of Node in a separate process, with only the guard in front of it. */
async function startUnguarded(files: NamedFiles) {
  let server = await startRaw(tables('fts4'))
  let settings = ''
  const send = async (sql: string) => {
    const request = {
      method: 'POST',
      body: JSON.stringify({ sql }),
      signal: AbortSignal.timeout(1_000),
    }
    settings = await (await fetch(`http://127.0.0.1:${server.port}/`, request)).text()
  }
  const revive = async () => {
    server.close()
    server = await startRaw(tables('fts4'))
    await send('')
  }
  await send('')
  const scene = sceneOf(() => server, files, revive)
  const unlayered: Unlayered = {
    scene: { ...scene, state: async () => (await scene.state()) + settings },
    ...guarded({
      dialect,
      async query({ sql }) {
        await send(sql).catch(revive)
        return nothing
      },
    }),
  }
  return { unlayered, close: () => server.close() }
}

const sceneOf = (
  server: () => SqliteServer,
  files: NamedFiles,
  restore: () => Promise<void>,
): Scene => ({
  state: async () => server().snapshot() + files.seen(),
  async restore() {
    files.removeNew()
    await restore()
  },
})
