/** Simulated time for `Date.now` and for timers. It passes only in {@link pass}. */
let now = Date.UTC(2026, 0, 1)
const timers = new Map()
let last = 0
const realImmediate = setImmediate

Date.now = () => now
globalThis.setTimeout = (run, ms = 0, ...args) => {
  const id = ++last
  timers.set(id, { at: now + ms, run: () => run(...args) })
  return id
}
globalThis.clearTimeout = (id) => timers.delete(id)
// Only comments that keep streams open are sent at intervals.
globalThis.setInterval = () => 0
globalThis.clearInterval = () => {}

/** Waits until all work that does not need time to pass is done. */
export async function settled() {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => realImmediate(resolve))
}

/** Lets time pass. */
export async function pass(ms) {
  now += ms
  for (const [id, { at, run }] of timers) {
    if (at > now) continue
    timers.delete(id)
    run()
  }
  await settled()
}
