// `tidegate apply` and `tidegate group …`: endpoints and groups defined in files.
import { isObject } from '../../ground/index.ts'
import { type Command, command, type common, type OptionValues } from '../command.ts'
import { file, readJson } from '../files/json-file.ts'
import { CommandFailure, Mistake } from '../terminal/failure.ts'
import { assertSure, print, sure } from '../terminal/output.ts'
import { type TerminalColumn, table } from '../terminal/table.ts'
import { type ApiLists, type ApiRequest, listOf } from './api.ts'
import { defaultsOf } from './defaults.ts'
import { named, withOwnUrls, withoutShown, withUrls } from './entries.ts'
import { changesOf, type PlannedChange, patchOf } from './plan.ts'
import { runPlan } from './run-plan.ts'

const FILE = `The file is a JSON list, or { "endpoints": [...], "groups": [...] }. A url can be "env:NAME", for the
environment variable that holds the connection string. Without a url, an endpoint's database keeps
the one that it has. Exit code 3 if there is something to change, but --yes is missing.`

const fileOptions = {
  ...file,
  prune: { type: 'boolean', about: 'also remove entries that are not in the file' },
  ...sure,
} as const

export const applyCommands: readonly Command[] = [
  command({
    words: 'apply',
    args: [],
    about: 'Makes the endpoints match a file. Prints a plan first.',
    more: FILE,
    options: fileOptions,
    run: ({ ask, options }) => apply(ask, options, 'endpoints'),
  }),
  command({
    words: 'group list',
    args: [],
    about: 'Lists the groups, and what they can see.',
    async run({ ask, options }) {
      const groups = await listOf(ask, 'groups')
      print(options, groups, () => table(groupColumns, groups))
    },
  }),
  command({
    words: 'group apply',
    args: [],
    about: 'Makes the groups match a file. Prints a plan first.',
    more: FILE,
    options: fileOptions,
    run: ({ ask, options }) => apply(ask, options, 'groups'),
  }),
  command({
    words: 'group remove',
    args: ['NAME'],
    about: 'Removes a group, which then no longer restricts anyone.',
    options: sure,
    async run({ ask, args: [name], options }) {
      const path = pathOf('groups', name)
      const { people, keys } = await ask<ApiLists['groups']>('GET', path)
      const members = [...people, ...keys].join(', ') || 'nobody'
      assertSure(options, `remove the group ${name}, so that it no longer restricts ${members}`)
      await ask('DELETE', path)
      print(options, { removed: name }, () => `Removed ${name}.`)
    },
  }),
]

const pathOf = (list: string, name: string) => `/api/${list}/${encodeURIComponent(name)}`

const groupColumns: readonly TerminalColumn<ApiLists['groups']>[] = [
  ['name', (it) => it.name],
  ['title', (it) => it.title],
  ['people', (it) => it.people.join(', ')],
  ['keys', (it) => it.keys.join(', ')],
  ['endpoints', (it) => Object.keys(it.endpoints).join(', ')],
]

/** The lists in a file. Endpoints come first, because groups refer to them. */
const lists = [
  { list: 'endpoints', kind: 'endpoint', complete: withUrls },
  { list: 'groups', kind: 'group', complete: withOwnUrls },
] as const

/** One of the lists, and a change to one of its entries. */
type AppliedList = (typeof lists)[number]
type AppliedChange = PlannedChange & { readonly list: AppliedList['list'] }

/** Compares a file with the deployment, prints the plan, and carries it out if allowed. */
async function apply(
  ask: ApiRequest,
  options: OptionValues<typeof fileOptions & typeof common>,
  usual: AppliedList['list'],
): Promise<number> {
  const value = readJson(options.file)
  const given = Array.isArray(value) ? { [usual]: value } : isObject(value) ? value : {}
  const changes: AppliedChange[] = []
  const remarks: string[] = []
  const inFile = lists.filter(({ list }) => Array.isArray(given[list]))
  if (inFile.length === 0) throw new Mistake(`${options.file} has no list of ${usual}.`)
  for (const it of inFile) {
    const { list, kind } = it
    const { wanted, existing } = await compared(ask, it, given[list] as readonly unknown[])
    const found = changesOf(kind, wanted, existing, options.prune)
    changes.push(...found.map((it) => ({ ...it, list })))
    const rest = options.prune ? [] : [...existing.keys()].filter((name) => !wanted.has(name))
    remarks.push(
      ...rest.map((it) => `  ${kind} ${it} is not in the file, and stays without --prune.`),
    )
  }
  // A group is removed before the endpoints that it refers to.
  const removed = changes.filter(({ action }) => action === 'remove').reverse()
  const ordered = [...changes.filter(({ action }) => action !== 'remove'), ...removed]
  return runPlan(options, ordered, () => carryOut(ask, ordered), remarks)
}

/** The entries in a file and the existing entries, by name. */
async function compared(
  ask: ApiRequest,
  { list, kind, complete }: AppliedList,
  entries: readonly unknown[],
) {
  const there: readonly ListedEntry[] = await listOf(ask, list)
  const wanted = named(entries, kind)
  const clash = there.find((it) => isFixed(it) && wanted.some(({ name }) => name === it.name))
  if (clash) {
    throw new CommandFailure(
      `The endpoint ${clash.name} is from the configuration. Change it there.`,
    )
  }
  const stored = there.filter((it) => !isConfigured(it)).map((it) => withoutShown({ ...it }))
  const existing = new Map(stored.map((it) => [it.name, it]))
  const fill = await defaultsOf(ask, `/api/${list}`)
  const whole = wanted.map((it) => {
    const before = existing.get(it.name)
    const value = complete(it, before)
    // A new entry is shown as it is in its file.
    if (!before) return value
    const { active } = before
    return fill({ ...(active !== undefined && { active }), ...value })
  })
  return { wanted: new Map(whole.map((it) => [it.name, it])), existing }
}

type ListedEntry = ApiLists['endpoints'] | ApiLists['groups']

const isConfigured = (it: ListedEntry): it is ApiLists['endpoints'] =>
  'from' in it && it.from === 'configuration'

/** True for an endpoint from the configuration, except the demo, which any other endpoint replaces. */
const isFixed = (it: ListedEntry): boolean =>
  isConfigured(it) && !Object.values(it.databases).every(({ url }) => url === 'demo:')

/** Makes the changes one by one, until one is refused. Returns how many were made. */
async function carryOut(ask: ApiRequest, changes: readonly AppliedChange[]): Promise<number> {
  for (const [i, { action, kind, list, name, before, value }] of changes.entries()) {
    try {
      if (action === 'add') await ask('POST', `/api/${list}`, value)
      else if (action === 'change')
        await ask('PATCH', pathOf(list, name), patchOf(before ?? {}, value ?? {}))
      else await ask('DELETE', pathOf(list, name))
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      console.error(`The ${kind} ${name}: ${error.message}`)
      console.error(`${i} of ${changes.length} changes were made. The rest were not tried.`)
      return i
    }
  }
  return changes.length
}
