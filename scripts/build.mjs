// Builds the Worker into dist/: index.js with the code for every request, and a module for each `import()`,
// which is loaded on first use. wrangler would put everything into one file, which every isolate would evaluate
// before its first response.
import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import './vendor.mjs'

const { build } = await import('esbuild')
const { options } = await import('./bundling.mjs')

/** The built Worker's folder. */
export const dist = resolve(import.meta.dirname, '../dist')

const { outputFiles } = await build({
  ...options,
  entryPoints: [resolve(import.meta.dirname, '../src/index.ts')],
  outdir: dist,
})

// `wrangler dev` watches this folder, so unchanged files are not written again.
await mkdir(dist, { recursive: true })
for (const { path, text } of outputFiles) {
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept !== text) await writeFile(path, text)
}
const made = new Set(outputFiles.map(({ path }) => relative(dist, path)))
for (const name of globSync('**/*.{js,mjs,map}', { cwd: dist })) {
  // Another build at the same time may have removed it.
  if (!made.has(name)) await rm(resolve(dist, name), { force: true })
}
