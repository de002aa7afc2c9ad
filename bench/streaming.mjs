// Measures the processor time of one event in a stream, compared with a bare ReadableStream.
import { drive } from './load.mjs'
import { bytesOf, request } from './requests.mjs'
import { inRounds, prepared } from './rounds.mjs'
import { earlier } from './targets.mjs'
import { start } from './workerd.mjs'

/** Number of events in a response: so many that the rest of the response hardly counts. */
const EVENTS = 500

const floor = { name: 'a bare ReadableStream', entry: 'stream-floor.mjs' }
const tidegate = {
  name: 'tidegate',
  entry: 'stream-tidegate.mjs',
  flags: ['enable_request_signal'],
}

/** @returns rows with the processor time per event */
export async function streaming({ rounds, warm, seconds, before }) {
  const params = { name: 'report', arguments: { events: EVENTS } }
  const asked = request({ era: 'modern' }, { method: 'tools/call', params })
  const message = JSON.parse(asked.body)
  message.params._meta.progressToken = 'p'
  const requests = [bytesOf({ ...asked, body: JSON.stringify(message) }, '/mcp')]
  const versions = [tidegate, ...(before ? [earlier(tidegate, before)] : [])]
  const list = await prepared([floor, ...versions])
  return inRounds(list, rounds, async ({ name, place }) => {
    const server = await start(place)
    const { pid, port } = server
    try {
      const init = { method: 'POST', headers: asked.headers, body: JSON.stringify(message) }
      const text = await (await fetch(`http://127.0.0.1:${port}/mcp`, init)).text()
      const events = text.split('notifications/progress').length - 1
      if (events !== EVENTS) throw new Error(`${name}: ${events} events, not ${EVENTS}`)
      await drive(pid, { port, requests, seconds: warm })
      const outcome = await drive(pid, { port, requests, seconds })
      return [{ what: 'one event', name, ...outcome, cpu: outcome.cpu / EVENTS }]
    } finally {
      await server.stop()
    }
  })
}
