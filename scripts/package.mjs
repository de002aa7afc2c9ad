// Builds the package into lib/: the modules for Node and for libraries, with their types, and the Worker.
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { start } from './child.mjs'
import { node } from './install.mjs'

/** The modules that are imported by name and have types of their own, and those that have not. */
const typed = ['mcp/index', 'database/index', 'node/index']
const entries = [...typed, 'node/app', 'node/command', 'node/sqlite-child']

const root = resolve(import.meta.dirname, '..')

// The build is as new as the Node that the repository pins, whichever Node runs this.
if (process.execPath !== node) {
  const again = start(node, [import.meta.filename], { stdio: 'inherit' })
  process.exit((await again.over) ?? 130)
}

// Bundles the libraries that the drivers import.
const { vendored } = await import('./vendor.mjs')
const { build } = await import('tsdown')
const { build: buildWorker } = await import('esbuild')
const { inPublicOnly, nodeAliases, options, styles } = await import('./bundling.mjs')
const { noticesOf } = await import('./notices.mjs')

// A command that runs meanwhile finds the whole of the old build, or of this one.
const made = await mkdtemp(join(root, 'lib-'))
try {
  const bundled = [...vendored, ...(await modules()), ...(await worker())]
  await writeFile(join(made, 'THIRD-PARTY.txt'), noticesOf(bundled))
  await put()
} finally {
  await rm(made, { recursive: true, force: true })
}

/** The modules for Node and for libraries. @returns the files they were made of */
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
    // A module of ssh2 asks where it is, though it reads nothing there.
    define: { __dirname: 'import.meta.dirname' },
    plugins: [styles, inPublicOnly()],
    outputOptions: { chunkFileNames: 'modules/[name].js' },
    // What is a dependency is imported. All else is in here, so that an install is small and quick.
    // What ssh2 does without where it is not there is not looked for.
    deps: {
      neverBundle: ['cloudflare:sockets', 'cpu-features', /\.node$/],
      onlyBundle: false,
    },
  })
  await withoutMaps(bundles.flatMap(({ chunks }) => chunks))
  return bundles.flatMap(({ chunks }) => chunks).flatMap(({ moduleIds = [] }) => moduleIds)
}

/** Takes away the maps of modules that are libraries as a whole: they would be a quarter of the package. */
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

/** The Worker, as the repository deploys it. @returns the files it was made of */
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

/** Puts what was made in the place of what was there. */
async function put() {
  const lib = join(root, 'lib')
  const old = `${made}-old`
  await rename(lib, old).catch(() => {})
  await rename(made, lib)
  await rm(old, { recursive: true, force: true })
}
