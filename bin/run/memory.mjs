// Keeps the process small: one runs for each host that a person has open.
import { setFlagsFromString } from 'node:v8'

/** Some more than the process has after its first answers. */
const MUCH_BYTES = 115 * 1024 * 1024

const OFTEN_MS = 100

/**
 * Has the engine collect garbage sooner once there is much: rows that have been answered would fill twice
 * the memory before it looks. It costs processor time, so that small answers are left alone.
 */
export function keepSmall() {
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() < MUCH_BYTES) return
    setFlagsFromString('--optimize-for-size')
    clearInterval(timer)
  }, OFTEN_MS)
  timer.unref()
}
