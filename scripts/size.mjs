// Prints what the Worker weighs, and fails when what every deployment needs outgrows its budget: the
// Worker with all drivers that go by fetch. Those that go by TCP, and their libraries, come on top.
// The protocol core has a budget of its own, as a Worker with three tools, Hono and zod.
// Another budget in KiB for the gateway: npm run size -- 70
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { ours } from '../bench/build.mjs'

const BUDGET = Number(process.argv[2] ?? 80)
const CORE = 36
const DRIVERS = /[\\/]drivers[\\/]/
const TCP = /[\\/]drivers[\\/](postgres|mysql)\.ts$/

const weigh = (bytes) => gzipSync(bytes, { level: 9 }).length / 1024
const say = (what, size) => console.log(`${what}: ${size.toFixed(2)} KiB gzipped`)

const bundle = async (entry) => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [
      ours,
      {
        name: 'fetch only',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\/.+\.mjs$/ }, ({ importer }) =>
            DRIVERS.test(importer) ? { external: true } : undefined,
          )
          onLoad({ filter: TCP }, ({ path }) => ({ contents: `export let ${TCP.exec(path)[1]}` }))
        },
      },
    ],
  })
  return weigh(outputFiles[0].contents)
}
const fetchOnly = await bundle('src/index.ts')
const core = await bundle('bench/targets/tidegate.mjs')
for (const name of readdirSync('dist').filter((it) => /\.m?js$/.test(it))) {
  say(`dist/${name}`, weigh(readFileSync(`dist/${name}`)))
}
say(`Without the drivers that go by TCP, of ${BUDGET}`, fetchOnly)
say(`The protocol core with three tools, of ${CORE}`, core)
if (!(fetchOnly <= BUDGET && core <= CORE)) process.exit(1)
