// `node bench/drivers.mjs`: the cost of the libraries that speak TCP, in bytes and in the time that a Worker
// takes to start, compared with a Worker without them. README.md explains the numbers.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { start } from '../scripts/child.mjs'
import { node } from '../scripts/install.mjs'

/** Number of new Workers of each kind, started in turn. */
const STARTS = 60

if (process.execPath !== node) {
  const own = start(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' })
  process.exit((await own.over) ?? 130)
}
setTimeout(() => {
  console.error('Not finished after 3 min.')
  process.exit(1)
}, 3 * 60_000).unref()
await import('../scripts/vendor.mjs')

const libraries = Object.fromEntries(
  ['pg', 'mysql2'].map((name) => [
    `${name}.mjs`,
    readFileSync(globSync(`src/database/*/${name}.mjs`)[0], 'utf8'),
  ]),
)
for (const [name, text] of Object.entries(libraries)) {
  const zipped = gzipSync(text, { level: 9 }).length
  console.log(`${name}: ${kib(Buffer.byteLength(text))} KiB, ${kib(zipped)} KiB gzipped`)
}

const ANSWER = "export default { fetch: () => new Response('ok') }"
const unused = (name) => [`globalThis.open = () => import('./${name}')\n${ANSWER}`, [name]]
const used = (name) => [`import it from './${name}'; globalThis.it = it\n${ANSWER}`, [name]]

/** Kinds of Workers: their main module, and their other modules. */
const kinds = {
  'neither library': [ANSWER, []],
  'pg.mjs beside it': unused('pg.mjs'),
  'pg.mjs evaluated': used('pg.mjs'),
  'mysql2.mjs beside it': unused('mysql2.mjs'),
  'mysql2.mjs evaluated': used('mysql2.mjs'),
}

process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false' // stays on this machine
const { createTestHarness } = await import('wrangler')
// One Worker loads and calls all the others. A new runtime for each would vary too much.
const harness = createTestHarness({
  workers: [
    {
      config: {
        ...{ name: 'loader', main: './bench/loader.js', send_metrics: false },
        ...{ compatibility_date: '2026-10-30', worker_loaders: [{ binding: 'LOADER' }] },
      },
    },
  ],
})
try {
  const { url } = await harness.listen()
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))
  for (let turn = -3; turn < STARTS; turn++) {
    for (const [kind, [main, needs]] of Object.entries(kinds)) {
      // All Workers get the same modules, so that sending them makes no difference.
      const body = JSON.stringify({ id: `${kind} ${turn}`, main, needs, libraries })
      const began = performance.now()
      const response = await fetch(url, { method: 'POST', body })
      const text = await response.text()
      if (text !== 'ok') throw new Error(text)
      // The first rounds warm up what all Workers share.
      if (turn >= 0) times[kind].push(performance.now() - began)
    }
  }
  const base = median(times['neither library'])
  for (const [kind, of] of Object.entries(times)) {
    const more = median(of) - base
    console.log(
      `${kind}: ${median(of).toFixed(1)} ms to start and answer, ${more.toFixed(1)} ms more`,
    )
  }
} finally {
  await harness.close()
}
process.exit()

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

function kib(bytes) {
  return (bytes / 1024).toFixed(1)
}
