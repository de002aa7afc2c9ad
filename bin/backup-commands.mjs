// `tidegate export` and `tidegate restore`
import { Failure } from './api.mjs'
import { whereOfCredential } from './database-url.mjs'
import { file, readJson } from './file.mjs'
import { sure } from './output.mjs'
import { changesOf } from './plan.mjs'
import { runPlan } from './run-plan.mjs'
import { count, time } from './table.mjs'

export const backupCommands = [
  {
    words: 'export',
    args: [],
    about: 'Prints all that the registry holds, for a file.',
    more: 'Credentials stay encrypted with TIDEGATE_SECRET, and of keys there are only hashes.',
    async run({ ask }) {
      console.log(JSON.stringify(await ask('GET', '/api/export'), null, 1))
    },
  },
  {
    words: 'restore',
    args: [],
    about: 'Restores an export as a whole. Prints a plan first.',
    more: 'Its credentials can be used if TIDEGATE_SECRET is the same as where it was exported.',
    options: {
      ...file,
      replace: { type: 'boolean', about: 'also remove what the file does not have' },
      ...sure,
    },
    async run({ ask, options }) {
      const wanted = readJson(options.file)
      const isList = (it) => Array.isArray(it) && it.every((entry) => entry instanceof Object)
      if (!lists.every(([list]) => isList(wanted?.[list]))) {
        throw new Failure(`${options.file} is not what \`npx tidegate export\` prints.`, 2)
      }
      const changes = changesBetween(await ask('GET', '/api/export'), wanted, options.replace)
      return runPlan(options, changes, async () => {
        await restore(ask, wanted, options)
        return changes.length
      })
    },
  },
]

async function restore(ask, wanted, { replace, json }) {
  const mode = replace ? 'replace' : 'merge'
  const { credentialsToReseal: others = 0 } = await ask('POST', `/api/restore?mode=${mode}`, wanted)
  if (others > 0 && !json) {
    console.error(`${count(others, 'credential')} cannot be read with this TIDEGATE_SECRET. Set the one that the
export was made with as TIDEGATE_SECRET_PREVIOUS, then: npx tidegate reseal`)
  }
}

/** What is exported: each list, its kind, and its entries by name with what people can compare. */
const lists = [
  [
    'endpoints',
    'endpoint',
    ({ name, active, value, credentials }) => [
      name,
      { ...value, active, credentials: hosts(credentials) },
    ],
  ],
  [
    'keys',
    'key',
    ({ id, label, endpoints, scopes, person, claims, expiresAt }) => [
      id,
      { label, endpoints, scopes, person, claims, expires: time(expiresAt) },
    ],
  ],
  [
    'groups',
    'group',
    ({ name, credentials, changedAt: _, ...rest }) => [
      name,
      { ...rest, credentials: hosts(credentials) },
    ],
  ],
]

const hosts = (credentials = {}) =>
  Object.fromEntries(Object.entries(credentials).map(([id, it]) => [id, whereOfCredential(it)]))

function changesBetween(now, wanted, replace) {
  const settings = replace ? wanted.settings : { ...now.settings, ...wanted.settings }
  const one = (it) => new Map([['of the deployment', it ?? {}]])
  return [
    ...lists.flatMap(([list, kind, comparable]) => {
      const [is, was] = [wanted, now].map((it) => new Map(it[list].map(comparable)))
      return changesOf(kind, is, was, replace)
    }),
    ...changesOf('settings', one(settings), one(now.settings), false),
  ]
}
