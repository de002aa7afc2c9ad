// The locations of each server's two versions. `files` are those that a person writes, without the files they share.
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A server of `examples/`. */
export function example(name, ...files) {
  const folder = join(root, 'examples', name)
  return {
    entry: join(folder, 'server.ts'),
    objects: { SESSIONS: 'McpSession' },
    files: ['server.ts', ...files].map((it) => join(folder, it)),
    stdio: [join(root, 'bin/tidegate.mjs'), 'run', folder],
  }
}

/** A server with the official SDK, in `bench/sdk/`. A separate module serves it over stdio. */
export function sdk({ entry, files = [], stdio }) {
  const path = (it) => join(root, 'bench/sdk', it)
  const written = [entry, ...files, ...(stdio ? [stdio] : [])]
  return {
    entry: path(entry),
    files: written.map(path),
    // The example's modules must not add a second zod or Tidegate.
    alias: { zod: join(root, 'bench/node_modules/zod'), 'tidegate/mcp': path('tidegate.ts') },
    ...(stdio && { stdio: [path(stdio)] }),
  }
}
