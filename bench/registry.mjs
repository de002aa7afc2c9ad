// Measures the cost of a request whose endpoint is in a registry with one endpoint or with 10,000, compared with
// an endpoint in the configuration; and the cost of a cold process's first response.
import { bundle } from './build.mjs'
import { drive } from './load.mjs'
import { bytesOf, gatewayCases, request } from './requests.mjs'
import { inRounds } from './rounds.mjs'
import { gateway } from './targets.mjs'
import { configure, processorTime, start } from './workerd.mjs'

const KEY = 'tg_bench'
const operator = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const databases = { demo: { url: 'demo:' } }

/** Number of endpoints that are added at the same time. */
const AT_ONCE = 16

/** @returns a row for each measurement */
export async function registry({ rounds, warm, seconds }) {
  const whole = await bundle(gateway)
  const ENDPOINTS = JSON.stringify([{ name: 'e0', title: 'Shop', databases }])
  const places = [
    [
      'in the configuration',
      configure({ ...gateway, vars: { TIDEGATE_KEY: KEY, ENDPOINTS } }, whole),
    ],
    ...(await Promise.all(
      [1, 10_000].map(async (count) => {
        const place = configure({ ...gateway, vars: { TIDEGATE_KEY: KEY } }, whole)
        return [`in a registry of ${count}`, place, await filled(place, count)]
      }),
    )),
  ]
  return inRounds(places, rounds, async ([name, place, key = KEY]) => [
    ...(await requests(name, place, key, { warm, seconds })),
    await firstAnswer(name, place, key),
  ])
}

/** Fills a Worker's registry. @returns a key for its first endpoint */
async function filled(place, count) {
  const server = await start(place)
  try {
    const origin = `http://127.0.0.1:${server.port}`
    const send = async (path, body) => {
      const init = { method: 'POST', headers: operator, body: JSON.stringify(body) }
      const response = await fetch(origin + path, init)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
      return JSON.parse(text)
    }
    const names = Array.from({ length: count }, (_, i) => `e${i}`)
    const inTurn = names.values()
    const work = async () => {
      for (const name of inTurn) await send('/api/endpoints', { name, title: 'Shop', databases })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const { key } = await send('/api/keys', { label: 'bench', endpoints: ['e0'] })
    return key
  } finally {
    await server.stop()
  }
}

async function requests(name, place, key, { warm, seconds }) {
  const server = await start(place)
  const { pid, port } = server
  const rows = []
  try {
    for (const it of Object.values(gatewayCases)) {
      const asked = asKey(request({ era: 'modern' }, it), key)
      const text = await (
        await fetch(`http://127.0.0.1:${port}/mcp/e0`, { method: 'POST', ...asked })
      ).text()
      if (!text.includes('"result"')) throw new Error(`${name}: ${text.slice(0, 300)}`)
      const work = { port, requests: [bytesOf(asked, '/mcp/e0')] }
      await drive(pid, { ...work, seconds: warm })
      rows.push({ what: it.says, name, ...(await drive(pid, { ...work, seconds })) })
    }
  } finally {
    await server.stop()
  }
  return rows
}

async function firstAnswer(name, place, key) {
  const server = await start(place)
  try {
    const asked = asKey(request({ era: 'modern' }, gatewayCases.list), key)
    const init = { method: 'POST', ...asked }
    const response = await fetch(`http://127.0.0.1:${server.port}/mcp/e0`, init)
    const text = await response.text()
    if (!text.includes('"result"')) throw new Error(`${name}: ${text.slice(0, 300)}`)
    return { what: 'a cold process until its first answer', name, cpu: processorTime(server.pid) }
  } finally {
    await server.stop()
  }
}

const asKey = ({ headers, body }, key) => ({
  headers: { ...headers, authorization: `Bearer ${key}` },
  body,
})
