// `npm run fuzz`: installs missing packages, then compares the guard with the engines' parsers:
// npm run fuzz -- --engine sqlite --count 5000000 --seed 1
// or a driver's answers with the engine's own answers: npm run fuzz -- --unchanged d1
// or puts every keyword where a name is expected: npm run fuzz -- --keywords --engine mariadb
// or doubles every argument, to find anything that takes more than linear time: npm run fuzz -- --arguments

import { start } from './child.mjs'
import { node } from './install.mjs'

const fuzz = start(node, ['test/fuzz/main.ts', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit((await fuzz.over) ?? 130)
