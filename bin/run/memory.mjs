// Keeps the process small: one runs for each host that a person has open.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Room for what has just been made. Node takes twice that once many rows were answered. */
const NEW_BYTES = 32 * 1024 * 1024

/** How much more than what is in use there may be before garbage is collected. With less, a call costs more (measured). */
const GROWTH_PERCENT = 100

const OFTEN_MS = 100

/** Bounds the garbage that rows leave once they are answered. */
export function keepSmall() {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  // To share so little out among threads costs more processor time than to collect it.
  setFlagsFromString('--no-parallel-scavenge')
  const timer = setInterval(() => {
    const space = getHeapSpaceStatistics().find((it) => it.space_name === 'new_space')
    if (space && space.space_size < NEW_BYTES) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, OFTEN_MS)
  timer.unref()
}
