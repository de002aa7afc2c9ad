import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Gives the admin API its own copy of zod. esbuild puts each file into one module, with everything that
 * any module uses from it. Otherwise the parts of zod that only the API needs would be loaded before the first
 * response.
 */
const zodOfApi = {
  name: 'zod-of-api',
  setup(build) {
    const namespace = 'zod-of-api'
    const isOfApi = /[\\/]registry[\\/]api[\\/]|[\\/]zod-openapi[\\/]/
    build.onResolve(
      { filter: /^zod\// },
      async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === namespace || !isOfApi.test(importer)) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: namespace })
        return { path: found.path, namespace, sideEffects: false }
      },
    )
    build.onResolve({ filter: /^\./, namespace }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path),
      namespace,
      sideEffects: false,
    }))
    build.onLoad({ filter: /.*/, namespace }, async ({ path }) => ({
      contents: await readFile(path),
      loader: 'js',
    }))
  },
}

/** esbuild options for a Worker: one module for every request, and one for each `import()`. */
export const options = {
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  plugins: [zodOfApi],
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  // The pages' stylesheet.
  loader: { '.css': 'text' },
  legalComments: 'none',
  logLevel: 'error',
}

/** Replacements for Workers modules on an ordinary machine. */
export const nodeAliases = {
  'cloudflare:workers': resolve(import.meta.dirname, '../src/node/workers.ts'),
}

/** Modules that fetch URLs from strangers. */
const OF_STRANGERS =
  /[\\/]@cloudflare[\\/]workers-oauth-provider[\\/].*\.js$|[\\/]auth[\\/]server[\\/]client-document\.ts$/

/**
 * Gives a module that fetches strangers' URLs a `fetch` that reaches only public addresses, and sets the
 * platform flag that says so. Undefined for all other modules.
 */
export function fetchingInPublic(path, code) {
  if (!OF_STRANGERS.test(path)) return undefined
  const from = JSON.stringify(resolve(import.meta.dirname, '../src/node/public-fetch.ts'))
  return `import { publicFetch as fetch } from ${from};
const Cloudflare = { compatibilityFlags: { global_fetch_strictly_public: true } };
${code}`
}

/** The plugin for rolldown. The build fails if it does not find such a module: strangers could use any address. */
export const inPublicOnly = () => {
  const found = new Set()
  return {
    name: 'in-public-only',
    transform: {
      filter: { id: OF_STRANGERS },
      handler(code, path) {
        found.add(OURS.test(path))
        return fetchingInPublic(path, code)
      },
    },
    buildEnd(error) {
      if (!error && found.size < 2) throw new Error('Not all that fetches for strangers was found.')
    },
  }
}

const OURS = /client-document\.ts$/

const inPublic = {
  name: 'in-public',
  setup(build) {
    build.onLoad({ filter: OF_STRANGERS }, async ({ path }) => ({
      contents: fetchingInPublic(path, await readFile(path, 'utf8')),
      loader: path.endsWith('.ts') ? 'ts' : 'js',
    }))
  },
}

/** esbuild options for the gateway on Node. */
export const forNode = {
  ...options,
  platform: 'node',
  target: 'node22.16',
  conditions: ['import', 'module'],
  alias: nodeAliases,
  plugins: [...options.plugins, inPublic],
  minify: false,
  write: true,
}

/**
 * Bundles zod into the modules for Node, without the messages of 64 languages, which are files that would slow down
 * a program's start. The types name the package: your own schema uses your own copy, and works with this one.
 */
export const zodWithin = {
  name: 'zod-within',
  resolveId: {
    order: 'pre',
    filter: { id: /^zod\/(?:mini|v4|v4\/core)$/ },
    handler: (source, importer) =>
      /\.d\.[cm]?ts$/.test(importer ?? '')
        ? undefined
        : resolve(import.meta.dirname, '../node_modules', source, 'index.js'),
  },
}

/** Loads the pages' stylesheet as text, for rolldown. */
export const styles = {
  name: 'styles',
  resolveId: {
    filter: { id: /\.css$/ },
    handler: (source, importer) => `${resolve(importer, '..', source)}-text`,
  },
  load: {
    filter: { id: /\.css-text$/ },
    handler: async (id) => ({
      code: `export default ${JSON.stringify(await readFile(id.slice(0, -'-text'.length), 'utf8'))}`,
      moduleType: 'js',
    }),
  },
}
