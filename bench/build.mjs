// Bundles a target into one Worker, with the options that wrangler gives esbuild.
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { options } from '../scripts/bundling.mjs'

const root = resolve(import.meta.dirname, '..')

/** The compatibility date of wrangler.toml: the newest date that the pinned runtime supports. */
export const date = /^compatibility_date = "(.+)"/m.exec(read('../wrangler.toml'))[1]

/** The flags in a source's wrangler.toml, which the whole gateway runs with. */
export const flagsOf = (source) =>
  /^compatibility_flags = \[([^\]]*)\]/m
    .exec(read(resolve(source, 'wrangler.toml')))[1]
    .split('\n')
    .flatMap((line) => /^ *"(\w+)"/.exec(line)?.[1] ?? [])

/** The flags for this source. */
export const flags = flagsOf(root)

/**
 * Builds a Worker. Unlike wrangler, it does not keep function names: without them, all targets are
 * smaller and faster.
 *
 * @param target its `entry`, the path of Tidegate's source if it is not this one, and replacements for modules
 * @param tools the number of tools to offer besides the three
 * @returns its modules by name, the main one first, and the gzip -9 size of the code that is evaluated
 * before the first request
 */
export async function bundle({ entry, source, alias = {} }, { minify = true, tools = 0 } = {}) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [resolve(import.meta.dirname, 'targets', entry)],
    entryNames: 'main',
    alias: { ...options.alias, ...alias },
    outdir: root,
    metafile: true,
    logLevel: 'silent', // the error that is thrown contains the message
    minify,
    external: ['cloudflare:*'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'globalThis.MORE_TOOLS': String(tools),
    },
    plugins: [...options.plugins, ...(source ? [from(source)] : []), ours(source ?? root), node],
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

/** A module and the modules that are evaluated with it: all that it imports, except with `import()`. */
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

/** Leaves out Node's modules, which workerd has. Some libraries `require` what Workers can only `import`. */
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

/** Gives Tidegate's targets Tidegate's own libraries, not the peers' copies. */
const ours = (resolveDir) => ({
  name: 'ours',
  setup(build) {
    build.onResolve({ filter: /^(hono|zod)(\/|$)/ }, ({ path, kind, importer, pluginData }) =>
      pluginData === 'ours' || !/tidegate|gateway/.test(basename(importer))
        ? undefined
        : build.resolve(path, { kind, resolveDir, pluginData: 'ours' }),
    )
  },
})

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
