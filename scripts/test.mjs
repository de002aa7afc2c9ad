// `npm test`: installs missing packages, builds if a selected suite starts the Worker or the command, then runs
// vitest. Arguments go to vitest:
// npm test -- test/mcp
// With --watch (`npm run watch`), vitest reruns the tests that each change affects.
// With --on-node, the suites that start a Worker run against the gateway on Node: the given suites, or a
// representative minute of them, some of them over stdio and from the tarball as well.

import { start } from './child.mjs'
import { node } from './install.mjs'
import { needsBuild } from './needs-build.mjs'

const modes = ['--on-node', '--watch']
const asked = process.argv.slice(2).filter((it) => !modes.includes(it))
const onNode = process.argv.includes('--on-node')
const mode = process.argv.includes('--watch') ? 'watch' : 'run'

if (onNode || needsBuild(asked)) {
  await import('./build.mjs')
  // Built once, before many tests run the command at the same time.
  const { bringUpToDate } = await import('./up-to-date.mjs')
  bringUpToDate()
} else await import('./vendor.mjs')

const suites = (...names) => names.map((it) => `test/${it}.test.ts`)

/** Suites, and their target: the Worker, the gateway on Node, the command over stdio, or the tarball. */
const runs = !onNode
  ? [{ files: asked }]
  : asked.length > 0
    ? [{ platform: 'node', files: asked }]
    : [
        {
          platform: 'node',
          files: suites(
            ...['worker', 'gateway/matrix', 'clients', 'hosts-programs'],
            ...['sign-in/sdk', 'sign-in/programs'],
          ),
        },
        { platform: 'stdio', files: suites('gateway/matrix', 'postgres-worker', 'clients') },
        {
          platform: 'package',
          files: suites('gateway/matrix', 'clients', 'hosts-programs', 'sign-in/programs'),
        },
      ]

let failed = 0
for (const { platform, files } of runs) {
  const project = platform ? ['--project', 'node'] : []
  const vitest = start(node, ['node_modules/vitest/vitest.mjs', mode, ...project, ...files], {
    stdio: [mode === 'watch' ? 'inherit' : 'ignore', 'inherit', 'inherit'],
    env: { ...process.env, TIDEGATE_BUILT: '1', ...(platform && { TIDEGATE_PLATFORM: platform }) },
  })
  const code = await vitest.over
  // Nobody waits for the other runs after a signal to end.
  if (code === undefined) process.exit(130)
  failed ||= code
}
process.exit(failed)
