import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Gives the admin API a zod of its own. esbuild puts a file into one module, with all that any module
 * uses of it: else what only the API needs of zod would be read before the first answer.
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

/** How esbuild bundles a Worker: one module for every request, and one for each `import()`. */
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
  // The style of the pages.
  loader: { '.css': 'text' },
  legalComments: 'none',
  logLevel: 'error',
}

/** What stands in for the modules of Workers, on a machine of one's own. */
export const nodeAliases = {
  'cloudflare:workers': resolve(import.meta.dirname, '../src/node/workers.ts'),
}

/** The modules that fetch what strangers name. */
const OF_STRANGERS =
  /[\\/]@cloudflare[\\/]workers-oauth-provider[\\/].*\.js$|[\\/]auth[\\/]server[\\/]client-document\.ts$/

/**
 * Gives a module that fetches what strangers name a `fetch` that reaches public addresses alone, and the word
 * of the platform that it does. Undefined for all other modules.
 */
export function fetchingInPublic(path, code) {
  if (!OF_STRANGERS.test(path)) return undefined
  const from = JSON.stringify(resolve(import.meta.dirname, '../src/node/public-fetch.ts'))
  return `import { publicFetch as fetch } from ${from};
const Cloudflare = { compatibilityFlags: { global_fetch_strictly_public: true } };
${code}`
}

/** The same for rolldown. A build that finds no such module would let strangers name any address: it fails. */
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

/** How esbuild bundles the gateway for Node. */
export const forNode = {
  ...options,
  platform: 'node',
  target: 'node22.16',
  conditions: ['import', 'module'],
  alias: nodeAliases,
  plugins: [...options.plugins, inPublic],
  // Has parts that are built where it is installed.
  external: [...options.external, 'ssh2'],
  minify: false,
  write: true,
}

/** Reads the style of the pages as text, for rolldown. */
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
