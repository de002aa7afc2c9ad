// Where the two of each server are. `files` are what a person writes of a server: what is the same in both is left out.
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

/** The same with the official SDK, in `bench/sdk/`. Over stdio it is served by a module of its own. */
export function sdk({ entry, files = [], stdio }) {
  const path = (it) => join(root, 'bench/sdk', it)
  const written = [entry, ...files, ...(stdio ? [stdio] : [])]
  return {
    entry: path(entry),
    files: written.map(path),
    // The modules of an example bring neither a second zod nor Tidegate.
    alias: { zod: join(root, 'bench/node_modules/zod'), 'tidegate/mcp': path('tidegate.ts') },
    ...(stdio && { stdio: [path(stdio)] }),
  }
}
