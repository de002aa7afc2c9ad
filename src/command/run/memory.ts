// Keeps the process small: one runs for each host that a person has open.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Space for new objects. Without this limit, Node uses twice as much after many rows have been sent. */
const NEW_BYTES = 32 * 1024 * 1024

/** Heap growth before garbage collection. With less, a call costs more (measured). */
const GROWTH_PERCENT = 100

const OFTEN_MS = 100

/** Limits the garbage that rows leave after they have been sent. */
export function keepSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  // For so little memory, sharing the work among threads costs more processor time than the collection.
  setFlagsFromString('--no-parallel-scavenge')
  const timer = setInterval(() => {
    const space = getHeapSpaceStatistics().find((it) => it.space_name === 'new_space')
    if (space && space.space_size < NEW_BYTES) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, OFTEN_MS)
  timer.unref()
}
