import type { Counts } from './counting.ts'

/** A `fetch` that counts the requests that its callers wait for. */
export interface CountingFetch {
  readonly fetch: typeof fetch
  /** The counts so far. */
  readonly counts: Counts
  /** Requests that are not answered yet. */
  readonly open: number
}

/**
 * Counts the requests through a `fetch`, with the delay of a distant server. A request that is sent before
 * another one is answered belongs to the same turn.
 */
export function countingFetch(send: typeof fetch, delayMs = 20): CountingFetch {
  const pause = () => new Promise((resolve) => setTimeout(resolve, delayMs))
  let [trips, turns, open] = [0, 0, 0]
  const counted: typeof fetch = async (url, init) => {
    const turn = turns + 1
    trips++
    open++
    try {
      await pause()
      const response = await send(url, init)
      const body = await response.arrayBuffer()
      await pause()
      return new Response(body, response)
    } finally {
      turns = Math.max(turns, turn)
      open--
    }
  }
  return {
    fetch: counted,
    get counts() {
      return { trips, turns }
    },
    get open() {
      return open
    },
  }
}
