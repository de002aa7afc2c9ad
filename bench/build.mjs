// Bundles a target into one Worker, with the options that wrangler gives esbuild.
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** The date that wrangler.toml names: the newest which the pinned runtime knows. */
export const date = /^compatibility_date = "(.+)"/m.exec(read('../wrangler.toml'))[1]

/**
 * Builds a Worker. Names of functions are not kept, whatever wrangler's default: all targets are
 * smaller and faster without.
 *
 * @param target its `entry`, and where Tidegate's own source is taken from, if not from here
 * @param tools How many tools to offer beyond the three.
 * @returns its modules by name, the first of them the main one, and their size with gzip -9
 */
export async function bundle({ entry, source }, { minify = true, tools = 0 } = {}) {
  const beside = new Map()
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, 'targets', entry)],
    bundle: true,
    minify,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'globalThis.MORE_TOOLS': String(tools),
    },
    plugins: [...(source ? [from(source)] : []), ours, node, libraries(beside)],
    logLevel: 'error',
  })
  const main = outputFiles[0].text
  return {
    modules: [['main.js', main], ...beside],
    bytes: main.length,
    gzipped: gzipSync(main, { level: 9 }).length,
  }
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

/** The libraries that wrangler uploads beside the Worker, which are read at their first use. */
const libraries = (found) => ({
  name: 'libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/[\w-]+\.mjs$/ }, ({ path, importer }) => {
      if (basename(dirname(importer)) !== 'drivers') return undefined
      const name = basename(path)
      found.set(name, readFileSync(resolve(dirname(importer), path), 'utf8'))
      return { path: `./${name}`, external: true }
    })
  },
})

function read(path) {
  return readFileSync(resolve(import.meta.dirname, path), 'utf8')
}
