// `npm test`: installs what is missing, then runs vitest. Arguments go to vitest:
// npm test -- test/mcp

import { start } from './child.mjs'
import { node } from './install.mjs'
// Builds the Worker, for the tests that start it.
import './build.mjs'

const vitest = start(node, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit((await vitest.over) ?? 130)
