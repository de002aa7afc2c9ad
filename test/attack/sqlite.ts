import { rmSync } from 'node:fs'
import type { Driver } from '../../src/database/database.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { rqlite } from '../../src/database/rqlite/driver.ts'
import { sqlite as dialect } from '../../src/database/sqlite/dialect.ts'
import { libsql } from '../../src/database/sqlite/libsql.ts'
import { startHrana } from '../servers/hrana.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { type SqliteServer, TOKEN } from '../servers/sqlite-child.ts'
import { startRaw } from '../servers/sqlite-raw.ts'
import { passOn, startTcp } from '../servers/tcp.ts'
import { filesNamedIn, filesSeen, type Scene } from '../support/witness.ts'
import { type Engine, nothing, type Place, startEndpoints, type Unlayered } from './place.ts'
import { tables } from './sqlite-tables.ts'

const io = { fetch, bindings: {} }

/** SQLite as the demo store and as D1, both in workerd, and behind our own servers of libSQL and rqlite. */
export async function startSqlite(statements: readonly string[]): Promise<Engine> {
  const files = filesNamedIn(statements)
  const raw = await startUnguarded(files)
  const [workerd, ...behind] = [
    await startWorkerd(raw.unlayered),
    await startBehind(ofLibsql, files, raw.unlayered),
    await startBehind(ofRqlite, files, raw.unlayered),
  ]
  return {
    title: `SQLite ${process.versions.sqlite}`,
    places: [...workerd.places, ...behind.map(({ place }) => place)],
    async close() {
      await workerd.close()
      for (const it of behind) await it.close()
      raw.close()
    },
  }
}

/** The demo store and D1: `worker.ts` shows what is in them, and has their drivers without the guard. */
async function startWorkerd(guardAlone: Unlayered) {
  const start = async () => {
    const urls = { demo: 'demo:', d1: 'd1:DB' }
    const started = await startEndpoints(urls, './test/attack/wrangler.toml')
    await fetch(`${started.url}/fill`)
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
  return {
    places: [placeOf('demo', 'demo store'), { ...placeOf('d1', 'D1'), endless }],
    close: () => worker.close(),
  }
}

/** A protocol that a server of ours speaks, and the driver of it. */
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

/** One protocol, at one address for however many servers have to take the place of one that hangs. */
async function startBehind(by: Behind, files: readonly string[], guardAlone: Unlayered) {
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
    place,
    async close() {
      await worker.close()
      await door.close()
      server.close()
    },
  }
}

/** SQLite with nothing but the guard in front of it: as Node brings it, in a process of its own. */
async function startUnguarded(files: readonly string[]) {
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
  files: readonly string[],
  restore: () => Promise<void>,
): Scene => ({
  state: async () => server().snapshot() + filesSeen(files),
  async restore() {
    for (const file of files) rmSync(file, { recursive: true, force: true })
    await restore()
  },
})
