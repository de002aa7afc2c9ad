// Finds the test files that start the output of `npm run build`: the Worker, or the package's command.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const IMPORT = /(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g
/** A folder of the build, or a program that is started from it. */
const STARTS = /\b(?:bin|lib|dist|scripts)\/|wrangler|--config/

/**
 * True if a test that the patterns select starts the Worker or the command. A pattern is part of a path, as for
 * vitest. If there are no patterns, or they select nothing, all tests count.
 *
 * @param {readonly string[]} patterns
 */
export function needsBuild(patterns) {
  const named = patterns.filter((it) => !it.startsWith('-'))
  const tests = globSync('test/**/*.test.ts').map((it) => it.replaceAll('\\', '/'))
  const chosen = tests.filter((test) => named.some((it) => test.includes(it.replace(/^\.\//, ''))))
  return chosen.length === 0 || chosen.some((test) => starts(resolve(test), new Set()))
}

/** True if a file, or a module that it imports from test/, starts something that is built. */
function starts(file, seen) {
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (STARTS.test(text)) return true
  return [...text.matchAll(IMPORT)]
    .map(([, path]) => join(dirname(file), path))
    .some((path) => path.startsWith(resolve('test')) && starts(path, seen))
}
