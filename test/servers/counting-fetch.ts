import type { Counts } from './counting.ts'

/** A `fetch` that counts what its callers wait for. */
export interface CountingFetch {
  readonly fetch: typeof fetch
  /** What has passed so far. */
  readonly counts: Counts
  /** Requests that are not answered yet. */
  readonly open: number
}

/**
 * Counts what passes through a `fetch`, as if the server were far away. A request that is sent before the
 * answer to another has come waits in the same turn.
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
