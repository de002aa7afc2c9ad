// `npm test`: installs what is missing, then runs vitest. Arguments go to vitest:
// npm test -- test/mcp

import { start } from './child.mjs'
import { node } from './install.mjs'
// What wrangler does before it builds, for the tests that import the same modules.
import './vendor.mjs'

const vitest = start(node, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit((await vitest.over) ?? 130)
