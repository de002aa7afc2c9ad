// `tidegate export` and `tidegate restore`
import { counted, isObject } from '../../ground/index.ts'
import { type Command, command } from '../command.ts'
import { whereOfCredential } from '../database-url.ts'
import { file, readJson } from '../files/json-file.ts'
import { Mistake } from '../terminal/failure.ts'
import { sure } from '../terminal/output.ts'
import { time } from '../terminal/table.ts'
import type { ApiRequest } from './api.ts'
import { changesOf, type PlannedChange } from './plan.ts'
import { runPlan } from './run-plan.ts'

export const backupCommands: readonly Command[] = [
  command({
    words: 'export',
    args: [],
    about: 'Prints the whole registry, to save in a file.',
    more: 'Credentials stay encrypted with TIDEGATE_SECRET. For keys, it contains only hashes.',
    async run({ ask }) {
      console.log(JSON.stringify(await ask('GET', '/api/export'), null, 1))
    },
  }),
  command({
    words: 'restore',
    args: [],
    about: 'Restores an export as a whole. Prints a plan first.',
    more: 'Its credentials work only with the same TIDEGATE_SECRET as in the exported deployment.',
    options: {
      ...file,
      replace: { type: 'boolean', about: 'also remove entries that are not in the file' },
      ...sure,
    },
    async run({ ask, options }) {
      const wanted = readJson(options.file)
      if (!isExport(wanted)) {
        throw new Mistake(`${options.file} is not an export made with \`npx tidegate export\`.`)
      }
      const now = await ask<ExportSummary>('GET', '/api/export')
      const changes = changesBetween(now, wanted, options.replace)
      return runPlan(options, changes, async () => {
        await restore(ask, wanted, options.replace, options.json)
        return changes.length
      })
    },
  }),
]

/** The parts of an export that a person compares. */
interface ExportSummary {
  readonly settings?: BackupObject
  readonly endpoints: readonly {
    readonly name: string
    readonly active: boolean
    readonly value: BackupObject
    readonly credentials?: Credentials
  }[]
  readonly keys: readonly ({ readonly id: string; readonly expiresAt?: number } & BackupObject)[]
  readonly groups: readonly ({
    readonly name: string
    readonly credentials?: Credentials
  } & BackupObject)[]
}

type BackupObject = Readonly<Record<string, unknown>>
type Credentials = Readonly<Record<string, { readonly scheme: string; readonly host: string }>>

/** True for an object with lists of objects. The API checks the rest. */
const isExport = (value: unknown): value is ExportSummary =>
  isObject(value) &&
  [value.endpoints, value.keys, value.groups].every(
    (list) => Array.isArray(list) && list.every(isObject),
  )

async function restore(ask: ApiRequest, wanted: ExportSummary, replace = false, json = false) {
  const mode = replace ? 'replace' : 'merge'
  const restored = await ask<{ credentialsToReseal?: number; namesLeftOut?: number }>(
    'POST',
    `/api/restore?mode=${mode}`,
    wanted,
  )
  const { credentialsToReseal: others = 0, namesLeftOut = 0 } = restored
  if (namesLeftOut > 0 && !json) {
    console.error(
      `Left out ${counted(namesLeftOut, 'name')} of endpoints that the file does not have, so that they do not open other endpoints with the same names.`,
    )
  }
  if (others > 0 && !json) {
    console.error(`${counted(others, 'credential')} cannot be read with this TIDEGATE_SECRET. Set the one that the
export was made with as TIDEGATE_SECRET_PREVIOUS, then: npx tidegate reseal`)
  }
}

/** The entries in an export by name, in a form that people can compare. */
const comparable = ({ endpoints, keys, groups, settings = {} }: ExportSummary) => ({
  endpoint: new Map(
    endpoints.map(({ name, active, value, credentials }) => [
      name,
      { ...value, active, credentials: hosts(credentials) },
    ]),
  ),
  key: new Map(
    keys.map(({ id, label, endpoints, scopes, person, claims, expiresAt }) => [
      id,
      { label, endpoints, scopes, person, claims, expires: time(expiresAt) },
    ]),
  ),
  group: new Map(
    groups.map(({ name, credentials, changedAt: _, ...rest }) => [
      name,
      { ...rest, credentials: hosts(credentials) },
    ]),
  ),
  settings: new Map([['of the deployment', settings]]),
})

const hosts = (credentials: Credentials = {}) =>
  Object.fromEntries(Object.entries(credentials).map(([id, it]) => [id, whereOfCredential(it)]))

function changesBetween(
  now: ExportSummary,
  wanted: ExportSummary,
  replace = false,
): PlannedChange[] {
  const settings = { ...(!replace && now.settings), ...wanted.settings }
  const [is, was] = [comparable({ ...wanted, settings }), comparable(now)]
  return [
    ...changesOf('endpoint', is.endpoint, was.endpoint, replace),
    ...changesOf('key', is.key, was.key, replace),
    ...changesOf('group', is.group, was.group, replace),
    ...changesOf('settings', is.settings, was.settings),
  ]
}
