// Builds the package into lib/: the command, the modules for Node and for libraries, with their types, and the Worker.
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { start } from './child.mjs'
import { node } from './install.mjs'

/** Modules imported by name that have their own types, and those that have none. */
const typed = ['mcp/index', 'database/index', 'node/index']
const entries = [
  ...typed,
  ...['node/app', 'node/sqlite-child', 'command/main', 'command/this-machine'],
]

const root = resolve(import.meta.dirname, '..')

// The build uses the Node version pinned by the repository, whichever Node runs this.
if (process.execPath !== node) {
  const again = start(node, [import.meta.filename], { stdio: 'inherit' })
  process.exit((await again.over) ?? 130)
}

// Bundles the libraries that the drivers import.
const { vendored } = await import('./vendor.mjs')
const { build } = await import('tsdown')
const { build: buildWorker } = await import('esbuild')
const { inPublicOnly, nodeAliases, options, styles, zodWithin } = await import('./bundling.mjs')
const { noticesOf } = await import('./notices.mjs')

// A command that runs in the meantime finds the complete old build or the complete new one.
const made = await mkdtemp(join(root, 'lib-'))
try {
  const bundled = [...vendored, ...(await modules()), ...(await worker())]
  await writeFile(join(made, 'THIRD-PARTY.txt'), noticesOf(bundled))
  await put()
} finally {
  await rm(made, { recursive: true, force: true })
}

/** Builds the modules for Node and for libraries. @returns their source files */
async function modules() {
  const { bundles } = await build({
    config: false,
    cwd: root,
    tsconfig: 'tsconfig.package.json',
    entry: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    outDir: made,
    clean: false,
    hash: false,
    platform: 'node',
    target: 'node22.16',
    fixedExtension: false,
    dts: { sourcemap: false, entry: typed.map((name) => `src/${name}.ts`) },
    sourcemap: true,
    logLevel: 'error',
    alias: nodeAliases,
    plugins: [zodWithin, styles, inPublicOnly()],
    outputOptions: { chunkFileNames: 'modules/[name].js' },
    // Dependencies are imported. All other code is bundled, so that an install is small and quick.
    deps: {
      neverBundle: ['cloudflare:sockets'],
      onlyBundle: false,
    },
  })
  await withoutMaps(bundles.flatMap(({ chunks }) => chunks))
  return bundles.flatMap(({ chunks }) => chunks).flatMap(({ moduleIds = [] }) => moduleIds)
}

/** Removes the maps of modules that consist only of libraries: they would be a quarter of the package. */
async function withoutMaps(chunks) {
  const isLibrary = ({ moduleIds = [] }) =>
    moduleIds.length > 0 && moduleIds.every((it) => /[\\/]node_modules[\\/]|^\0/.test(it))
  for (const { fileName } of chunks.filter(isLibrary)) {
    const path = join(made, fileName)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
    await rm(`${path}.map`, { force: true })
  }
}

/** Builds the Worker, as the repository deploys it. @returns its source files */
async function worker() {
  const { outputFiles, metafile } = await buildWorker({
    ...options,
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    outdir: join(made, 'worker'),
    metafile: true,
  })
  await mkdir(join(made, 'worker'))
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, text)))
  await cp(join(root, 'scripts/worker.d.ts'), join(made, 'worker/index.d.ts'))
  return Object.keys(metafile.inputs).map((it) => resolve(root, it.replace(/^[\w-]+:/, '')))
}

/** Replaces the old build with the new one. */
async function put() {
  const lib = join(root, 'lib')
  const old = `${made}-old`
  await rename(lib, old).catch(() => {})
  await rename(made, lib)
  await rm(old, { recursive: true, force: true })
}
