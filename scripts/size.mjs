// Prints what the Worker weighs, and fails when what every deployment needs outgrows its budget: the
// Worker with all drivers that go by fetch. Those that go by TCP, and their libraries, come on top.
// Another budget in KiB: npm run size -- 70
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const BUDGET = Number(process.argv[2] ?? 80)
const TCP = /[\\/]drivers[\\/](postgres|mysql)\.ts$/

const weigh = (bytes) => gzipSync(bytes, { level: 9 }).length / 1024
const say = (what, size) => console.log(`${what}: ${size.toFixed(1)} KiB gzipped`)

const { outputFiles } = await build({
  entryPoints: ['src/index.ts'],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*', '*.mjs'],
  plugins: [
    {
      name: 'fetch only',
      setup({ onLoad }) {
        onLoad({ filter: TCP }, ({ path }) => ({ contents: `export let ${TCP.exec(path)[1]}` }))
      },
    },
  ],
})
const fetchOnly = weigh(outputFiles[0].contents)
for (const name of readdirSync('dist').filter((it) => /\.m?js$/.test(it))) {
  say(`dist/${name}`, weigh(readFileSync(`dist/${name}`)))
}
say(`Without the drivers that go by TCP, of ${BUDGET}`, fetchOnly)
if (!(fetchOnly <= BUDGET)) process.exit(1)
