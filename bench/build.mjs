// Bundles a target into one Worker, with the options that wrangler gives esbuild.
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { options } from '../scripts/bundling.mjs'

const root = resolve(import.meta.dirname, '..')

/** The date that wrangler.toml names: the newest which the pinned runtime knows. */
export const date = /^compatibility_date = "(.+)"/m.exec(read('../wrangler.toml'))[1]

/** The flags that wrangler.toml names, which the whole gateway runs with. */
export const flags = /^compatibility_flags = \[([^\]]*)\]/m
  .exec(read('../wrangler.toml'))[1]
  .split('\n')
  .flatMap((line) => /^ *"(\w+)"/.exec(line)?.[1] ?? [])

/**
 * Builds a Worker. Names of functions are not kept, whatever wrangler's default: all targets are
 * smaller and faster without.
 *
 * @param target its `entry`, and where Tidegate's own source is taken from, if not from here
 * @param tools How many tools to offer beyond the three.
 * @returns its modules by name, the first of them the main one, and the size of what is evaluated
 * before the first request, with gzip -9
 */
export async function bundle({ entry, source }, { minify = true, tools = 0 } = {}) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [resolve(import.meta.dirname, 'targets', entry)],
    entryNames: 'main',
    outdir: root,
    metafile: true,
    minify,
    external: ['cloudflare:*'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'globalThis.MORE_TOOLS': String(tools),
    },
    plugins: [...(source ? [from(source)] : []), ours, node],
  })
  const modules = outputFiles.map(({ path, text }) => [relative(root, path), text])
  const main = modules.findIndex(([name]) => name === 'main.js')
  modules.unshift(...modules.splice(main, 1))
  const hot = hotModules(metafile, 'main.js').map((name) => new Map(modules).get(name))
  return {
    modules,
    bytes: hot.join('').length,
    gzipped: gzipSync(hot.join(''), { level: 9 }).length,
  }
}

/** The modules that are evaluated with this one, itself first: what it imports, but not by `import()`. */
export function hotModules({ outputs }, entry) {
  const paths = Object.fromEntries(Object.keys(outputs).map((path) => [basename(path), path]))
  const found = new Set([entry])
  for (const name of found) {
    for (const { path, kind } of outputs[paths[name]].imports) {
      if (kind === 'import-statement' && basename(path) in paths) found.add(basename(path))
    }
  }
  return [...found]
}

const names = new Set(builtinModules)

/** What workerd has of Node stays outside. Some libraries `require` what Workers only `import`. */
const node = {
  name: 'node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z]+)?$/ }, ({ path, kind }) => {
      const bare = path.replace(/^node:/, '')
      if (!names.has(bare)) return undefined
      if (kind === 'require-call') return { path: bare, namespace: 'node' }
      return { path: `node:${bare}`, external: true }
    })
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: `import it from 'node:${path}'; module.exports = it`,
      resolveDir: import.meta.dirname,
    }))
  },
}

/** Tidegate's own targets take the product's libraries, and not the copies that the peers brought. */
export const ours = {
  name: 'ours',
  setup(build) {
    const resolveDir = resolve(import.meta.dirname, '..')
    build.onResolve({ filter: /^(hono|zod)(\/|$)/ }, ({ path, kind, importer, pluginData }) =>
      pluginData === ours || !/tidegate|gateway/.test(basename(importer))
        ? undefined
        : build.resolve(path, { kind, resolveDir, pluginData: ours }),
    )
  },
}

/** Takes Tidegate from another place, to compare two versions of it. */
const from = (source) => ({
  name: 'source',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/\.\.\/src\// }, ({ path }) => ({
      path: resolve(source, path.slice('../../'.length)),
    }))
  },
})

function read(path) {
  return readFileSync(resolve(import.meta.dirname, path), 'utf8')
}
