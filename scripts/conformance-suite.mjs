// The official conformance suite, in the version that covers both eras and in the last version before it: the
// scenarios in each, and their outcomes.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { node } from './install.mjs'

const HOME = 'node_modules/@modelcontextprotocol/conformance'

/** The suite's program that covers both eras. */
export const SUITE = `${HOME}/dist/index.js`

const OLDER_SUITE = 'node_modules/conformance-0.1/dist/index.js'

/** The rounds: the program, its arguments, and its scenarios. */
export const rounds = [
  ...['2025-11-25', '2026-07-28'].map((revision) => ({
    name: revision,
    program: SUITE,
    rules: ['--requirements', revision],
    scenarios: () => required(revision),
  })),
  { name: '0.1.16', program: OLDER_SUITE, rules: ['--suite', 'all'], scenarios: listed },
]

/** The scenarios for one revision, each with a flag that is set if it counts toward the score. */
function required(revision) {
  const yaml = readFileSync(`${HOME}/requirements/${revision}.yaml`, 'utf8')
  const [, scored] = /^server:\n((?: {2}- .+\n)+)/m.exec(yaml)
  const unscored = yaml.matchAll(/- scenario: (\S+)\n +leg: server/g)
  return [
    ...[...scored.matchAll(/- (\S+)/g)].map(([, name]) => ({ name, group: revision })),
    ...[...unscored].map(([, name]) => ({ name, group: 'not scored' })),
  ]
}

/** The scenarios that the older version of the suite lists. */
function listed() {
  const { stdout } = spawnSync(node, [OLDER_SUITE, 'list', '--server'], { encoding: 'utf8' })
  const names = [...stdout.matchAll(/^ {2}- (\S+)/gm)]
  if (names.length === 0) throw new Error(`${OLDER_SUITE} lists no scenarios.`)
  return names.map(([, name]) => ({ name, group: '0.1.16' }))
}

/** The outcome of one scenario. A crashed scenario has no checks, and counts as failed. */
export function outcomeOf(results, name) {
  const made = new RegExp(`^server-${name}-\\d{4}-\\d\\d-\\d\\dT`)
  const found = existsSync(results) && readdirSync(results).find((it) => made.test(it))
  const file = join(results, found || '', 'checks.json')
  if (!existsSync(file)) return { failures: ['It crashed.'], warnings: [] }
  const checks = JSON.parse(readFileSync(file, 'utf8'))
  const messagesOf = (status) => checks.filter((it) => it.status === status).map(messageOf)
  return { failures: [...new Set(messagesOf('FAILURE'))], warnings: messagesOf('WARNING') }
}

function messageOf({ errorMessage, details, description }) {
  return (errorMessage ?? details?.message ?? description).replace(/\s+/g, ' ')
}
