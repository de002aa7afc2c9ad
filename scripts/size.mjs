// Prints what the Worker weighs, and fails when what an isolate evaluates before its first answer at
// /mcp outgrows its budget. What is read when it is first asked for has none.
// The protocol core has a separate budget, as a Worker with three tools, Hono and zod.
// Another budget in KiB for the gateway: npm run size -- 70
import { gzipSync } from 'node:zlib'
import { bundle } from '../bench/build.mjs'
import './build.mjs'

const BUDGET = Number(process.argv[2] ?? 72)
const CORE = 36

const kib = (bytes) => `${(bytes / 1024).toFixed(2)} KiB gzipped`

const gateway = await bundle({ entry: 'gateway.mjs' })
const core = await bundle({ entry: 'tidegate.mjs' })
for (const [name, text] of gateway.modules) {
  console.log(`${name}: ${kib(gzipSync(text, { level: 9 }).length)}`)
}
const all = gateway.modules.map(([, text]) => text).join('')
console.log(`All modules: ${kib(gzipSync(all, { level: 9 }).length)}`)
console.log(`Read before the first answer: ${kib(gateway.gzipped)} (at most ${BUDGET})`)
console.log(`The protocol core with three tools: ${kib(core.gzipped)} (at most ${CORE})`)
if (!(gateway.gzipped <= BUDGET * 1024 && core.gzipped <= CORE * 1024)) process.exit(1)
