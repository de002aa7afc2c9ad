// Measures the same tool call in Tidegate's gateway in workerd and in DBHub in Node, on the same
// PostgreSQL.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { bundle } from './build.mjs'
import { starts } from './databases.mjs'
import { drive } from './load.mjs'
import { bytesOf, LEGACY, request } from './requests.mjs'
import { gateway } from './targets.mjs'
import { configure, start } from './workerd.mjs'

const KEY = 'tg_bench'
const CONNECTIONS = 4
const WHAT = 'tools/call, 50 rows of 10 columns'

/** @returns a row for each measurement; none without a PostgreSQL */
export async function dbhub({ rounds, warm, seconds }) {
  const postgres = await starts.neon()
  if (!postgres) return []
  const rows = []
  try {
    const made = await bundle(gateway)
    const worker = (url) => {
      const vars = { DATABASE_URL: url, TIDEGATE_KEY: KEY }
      const place = configure({ ...gateway, vars }, made)
      return () => start(place)
    }
    const servers = {
      'DBHub in Node, TCP, connections kept': {
        run: () => inNode(postgres.tcp),
        tool: 'execute_sql',
      },
      'tidegate, TCP, a connection a call': { run: worker(postgres.tcp), tool: 'query' },
      'tidegate, Neon over HTTP': { run: worker(postgres.url), tool: 'query' },
    }
    for (let i = 0; i < rounds; i++) {
      for (const [name, { run, tool }] of Object.entries(servers)) {
        rows.push({ what: WHAT, name, ...(await one(run, tool, { warm, seconds })) })
      }
    }
  } finally {
    await postgres.end()
  }
  return rows
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

async function inNode(url) {
  const port = await freePort()
  const program = resolve(import.meta.dirname, 'node_modules/@bytebase/dbhub/dist/index.js')
  const at = ['--transport', 'http', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [program, ...at, '--dsn', `${url}?sslmode=disable`], {
    stdio: 'ignore',
  })
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
