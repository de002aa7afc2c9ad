// `npm run fuzz`: installs what is missing, then puts texts before the guard and the engines' parsers:
// npm run fuzz -- --engine sqlite --count 5000000 --seed 1
// or queries before a driver and before its engine alone: npm run fuzz -- --unchanged d1
// or doubles every argument, and looks for time that grows faster: npm run fuzz -- --arguments

import { start } from './child.mjs'
import { node } from './install.mjs'

const fuzz = start(node, ['test/fuzz/main.ts', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit((await fuzz.over) ?? 130)
