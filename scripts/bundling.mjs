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
