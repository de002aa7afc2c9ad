// Prints the sizes of the Worker's modules. Fails if the code that an isolate evaluates before its first response
// at /mcp is over its budget. Modules loaded on first use have no budget.
// The protocol core has its own budget, as a Worker with three tools, Hono and zod.
// To use another budget for the gateway, in KiB: npm run size -- 70
import { gzipSync } from 'node:zlib'
import { bundle } from '../bench/build.mjs'
import './build.mjs'

const GATEWAY_BUDGET_KIB = Number(process.argv[2] ?? 72)
const CORE_BUDGET_KIB = 36

const kib = (bytes) => `${(bytes / 1024).toFixed(2)} KiB gzipped`

const gateway = await bundle({ entry: 'gateway.mjs' })
const core = await bundle({ entry: 'tidegate.mjs' })
for (const [name, text] of gateway.modules) {
  console.log(`${name}: ${kib(gzipSync(text, { level: 9 }).length)}`)
}
const all = gateway.modules.map(([, text]) => text).join('')
console.log(`All modules: ${kib(gzipSync(all, { level: 9 }).length)}`)
console.log(`Read before the first answer: ${kib(gateway.gzipped)} (at most ${GATEWAY_BUDGET_KIB})`)
console.log(`The protocol core with three tools: ${kib(core.gzipped)} (at most ${CORE_BUDGET_KIB})`)
const fits = gateway.gzipped <= GATEWAY_BUDGET_KIB * 1024 && core.gzipped <= CORE_BUDGET_KIB * 1024
if (!fits) process.exit(1)
