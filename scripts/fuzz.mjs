// `npm run fuzz`: installs what is missing, then compares the guard with the engines' parsers:
// npm run fuzz -- --engine sqlite --count 5000000 --seed 1
// or the answers of a driver with those of its engine alone: npm run fuzz -- --unchanged d1
// or doubles every argument, to find time that grows faster than that: npm run fuzz -- --arguments

import { start } from './child.mjs'
import { node } from './install.mjs'

const fuzz = start(node, ['test/fuzz/main.ts', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit((await fuzz.over) ?? 130)
