// Measures the processor time of one event of a stream, more than that of a bare ReadableStream.
import { bundle } from './build.mjs'
import { drive } from './load.mjs'
import { bytesOf, request } from './requests.mjs'
import { configure, start } from './workerd.mjs'

/** Events in an answer: so many that the rest of the answer hardly counts. */
const EVENTS = 500

const list = [
  { name: 'a bare ReadableStream', entry: 'stream-floor.mjs' },
  { name: 'tidegate', entry: 'stream-tidegate.mjs', flags: ['enable_request_signal'] },
]

/** @returns rows with the processor time of an event */
export async function streaming({ rounds, warm, seconds }) {
  const params = { name: 'report', arguments: { events: EVENTS } }
  const asked = request({ era: 'modern' }, { method: 'tools/call', params })
  const message = JSON.parse(asked.body)
  message.params._meta.progressToken = 'p'
  const requests = [bytesOf({ ...asked, body: JSON.stringify(message) }, '/mcp')]
  const places = []
  for (const it of list) places.push({ ...it, place: configure(it, await bundle(it)) })
  const rows = []
  for (let i = 0; i < rounds; i++) {
    for (const { name, place } of i % 2 ? places.toReversed() : places) {
      const server = await start(place)
      const { pid, port } = server
      try {
        const init = { method: 'POST', headers: asked.headers, body: JSON.stringify(message) }
        const text = await (await fetch(`http://127.0.0.1:${port}/mcp`, init)).text()
        const events = text.split('notifications/progress').length - 1
        if (events !== EVENTS) throw new Error(`${name}: ${events} events, not ${EVENTS}`)
        await drive(pid, { port, requests, seconds: warm })
        const outcome = await drive(pid, { port, requests, seconds })
        rows.push({ what: 'one event', name, ...outcome, cpu: outcome.cpu / EVENTS })
      } finally {
        await server.stop()
      }
    }
  }
  return rows
}
