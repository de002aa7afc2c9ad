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
  legalComments: 'none',
  logLevel: 'error',
}
