// `npm test`: installs what is missing, then runs vitest. Arguments go to vitest:
// npm test -- test/mcp
// With --on-node, the suites that start a Worker run against the gateway on Node: those that are named, or
// some that show most in a minute, and some of them over stdio as well.

import { start } from './child.mjs'
import { node } from './install.mjs'
// Builds the Worker, for the tests that start it.
import './build.mjs'
import { bringUpToDate } from '../bin/lib.mjs'

// Once, before many tests at once run the command.
bringUpToDate()

const asked = process.argv.slice(2).filter((it) => it !== '--on-node')
const onNode = asked.length < process.argv.length - 2
const suites = (...names) => names.map((it) => `test/${it}.test.ts`)

/** Which suites run against what: the Worker, the gateway on Node over HTTP, or the command over stdio. */
const runs = !onNode
  ? [{ files: asked }]
  : asked.length > 0
    ? [{ platform: 'node', files: asked }]
    : [
        { platform: 'node', files: suites('worker', 'gateway/matrix') },
        { platform: 'stdio', files: suites('gateway/matrix', 'postgres-worker') },
      ]

let failed = 0
for (const { platform, files } of runs) {
  const project = platform ? ['--project', 'node'] : []
  const vitest = start(node, ['node_modules/vitest/vitest.mjs', 'run', ...project, ...files], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TIDEGATE_BUILT: '1', ...(platform && { TIDEGATE_PLATFORM: platform }) },
  })
  const code = await vitest.over
  // Nobody waits for the others where we were told to end.
  if (code === undefined) process.exit(130)
  failed ||= code
}
process.exit(failed)
