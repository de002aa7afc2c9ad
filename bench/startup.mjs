// Measures the cost of a cold process from its start to its first response.
import { first } from './requests.mjs'
import { inRounds } from './rounds.mjs'
import { processorTime, start } from './workerd.mjs'

/**
 * @param list targets, with the place of their configuration
 * @returns rows with the milliseconds and the processor time until the first response
 */
export async function startup(list, { rounds }) {
  return inRounds(list, rounds + 1, async ({ name, eras, place }, i) => {
    const server = await start(place)
    try {
      const init = { method: 'POST', ...first(eras[0]) }
      const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, init)
      const text = await response.text()
      const ms = performance.now() - server.begun
      const cpu = processorTime(server.pid) / 1_000
      if (!text.includes('"result"')) throw new Error(`${name}: ${text.slice(0, 300)}`)
      // The first round reads files from the disk.
      return i > 0 ? [{ name, ms, cpu }] : []
    } finally {
      await server.stop()
    }
  })
}
