// Fails if a cold process takes far too long to give its first response. Measures processor time as a
// multiple of a bare Hono's on the same machine, and takes the best of several rounds. The bounds
// are generous. bench/results.md has the numbers of one machine.
import { existsSync } from 'node:fs'
import { start } from './child.mjs'
import { node } from './install.mjs'

const ROUNDS = 5

/** Multiples of the processor time of a bare Hono. */
const BUDGETS = { tidegate: 3, gateway: 4 }

if (!existsSync('/proc/self/schedstat')) {
  console.log('Processor time is read from /proc, which only Linux has: skipped.')
  process.exit()
}
if (process.execPath !== node) {
  const again = start(node, [import.meta.filename], { stdio: 'inherit' })
  process.exit((await again.over) ?? 130)
}
// Bundles the libraries that the drivers import.
await import('./vendor.mjs')
const { bundle } = await import('../bench/build.mjs')
const { startup } = await import('../bench/startup.mjs')
const { gateway, targets } = await import('../bench/targets.mjs')
const { configure } = await import('../bench/workerd.mjs')

const list = []
for (const it of [...targets, gateway]) {
  if (it.name !== 'floor-hono' && !(it.name in BUDGETS)) continue
  list.push({ ...it, place: configure(it, await bundle(it)) })
}
const rows = await startup(list, { rounds: ROUNDS })
const least = (name) => Math.min(...rows.filter((it) => it.name === name).map(({ cpu }) => cpu))
let over = false
for (const [name, budget] of Object.entries(BUDGETS)) {
  const times = least(name) / least('floor-hono')
  console.log(`${name}: ${times.toFixed(1)} times a bare Hono, of ${budget}`)
  over ||= !(times <= budget)
}
process.exit(over ? 1 : 0)
