// `npm test`: installs what is missing, then runs vitest. Arguments go to vitest:
// npm test -- test/mcp
// With --on-node, the suites that start a Worker run against the gateway on Node: those that are named, or
// some that show most in a minute.

import { start } from './child.mjs'
import { node } from './install.mjs'
// Builds the Worker, for the tests that start it.
import './build.mjs'
import { bringUpToDate } from '../bin/lib.mjs'

// Once, before many tests at once run the command.
bringUpToDate()

const asked = process.argv.slice(2).filter((it) => it !== '--on-node')
const onNode = asked.length < process.argv.length - 2
const core = ['worker', 'gateway/matrix']
const files = onNode && asked.length === 0 ? core.map((it) => `test/${it}.test.ts`) : asked
const project = onNode ? ['--project', 'node'] : []
const vitest = start(node, ['node_modules/vitest/vitest.mjs', 'run', ...project, ...files], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...(onNode && { TIDEGATE_PLATFORM: 'node' }) },
})
process.exit((await vitest.over) ?? 130)
