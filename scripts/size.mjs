// Fails when the bundle outgrows its budget in KiB: npm run size -- 100
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const budget = Number(process.argv[2] ?? 80)
const size = gzipSync(readFileSync('dist/index.js'), { level: 9 }).length / 1024
console.log(`dist/index.js is ${size.toFixed(1)} KiB gzipped, of ${budget} KiB`)
if (!(size <= budget)) process.exit(1)
