// Measures the same tool call in Tidegate's gateway in workerd and in DBHub in Node, on the same
// PostgreSQL.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { starts } from './databases.mjs'
import { drive } from './load.mjs'
import { bytesOf, LEGACY, request } from './requests.mjs'
import { inRounds, prepared } from './rounds.mjs'
import { earlier, gateway } from './targets.mjs'
import { start } from './workerd.mjs'

const PROGRAM = resolve(import.meta.dirname, 'node_modules/@bytebase/dbhub/dist/index.js')
const KEY = 'tg_bench'
const CONNECTIONS = 4
const WHAT = 'tools/call, 50 rows of 10 columns'

/** @returns a row for each measurement; none without a PostgreSQL */
export async function dbhub({ rounds, warm, seconds, before }) {
  const postgres = await starts.neon()
  if (!postgres) {
    console.log('All of it is left out: this machine has no PostgreSQL.\n')
    return []
  }
  const versions = [{ ...gateway, name: 'tidegate' }]
  if (before) versions.push(earlier(versions[0], before))
  const ways = [
    { how: 'TCP, a connection a call', url: postgres.tcp },
    { how: 'Neon over HTTP', url: postgres.url },
  ]
  try {
    const workers = await prepared(
      ways.flatMap(({ how, url }) =>
        versions.map((it) => ({
          ...it,
          name: `${it.name}, ${how}`,
          vars: { DATABASE_URL: url, TIDEGATE_KEY: KEY },
        })),
      ),
    )
    const list = workers.map((it) => ({ ...it, run: () => start(it.place), tool: 'query' }))
    const name = 'DBHub in Node, TCP, connections kept'
    if (existsSync(PROGRAM)) {
      const dsn = `--dsn=${postgres.tcp}?sslmode=disable`
      list.unshift({ name, run: () => inNode(dsn), tool: 'execute_sql' })
    } else console.log(`${name} is left out: it is not installed.\n`)
    return await inRounds(list, rounds, async (it) => [
      { what: WHAT, name: it.name, ...(await one(it.run, it.tool, { warm, seconds })) },
    ])
  } finally {
    await postgres.end()
  }
}

async function one(run, tool, { warm, seconds }) {
  const server = await run()
  try {
    const { port, pid } = server
    const params = { name: tool, arguments: { sql: 'select * from wide limit 50' } }
    const asked = request({ era: 'legacy', version: LEGACY }, { method: 'tools/call', params })
    asked.headers.authorization = `Bearer ${KEY}`
    const init = { method: 'POST', ...asked }
    const text = await (await fetch(`http://127.0.0.1:${port}/mcp`, init)).text()
    if (!text.includes('name-50')) throw new Error(text.slice(0, 300))
    const work = { port, requests: [bytesOf(asked, '/mcp')], connections: CONNECTIONS }
    await drive(pid, { ...work, seconds: warm })
    return await drive(pid, { ...work, seconds })
  } finally {
    await server.stop()
  }
}

/** Starts DBHub. @returns nothing if it is not installed */
export async function startDbhub(option) {
  return existsSync(PROGRAM) ? inNode(option) : undefined
}

async function inNode(option) {
  const port = await freePort()
  const at = ['--transport', 'http', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [PROGRAM, ...at, option], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const over = new Promise((ended) => child.once('exit', ended))
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    await answer?.text()
    if (answer) break
    await new Promise((later) => setTimeout(later, 100))
  }
  const stop = async () => {
    kill()
    await over
    process.off('exit', kill)
  }
  return { port, pid: child.pid, stop }
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
