// `tidegate apply` and `tidegate group …`: endpoints and groups as files have them.
import { Failure, listOf } from './api.mjs'
import { filled, schemaOf } from './defaults.mjs'
import { named, withOwnUrls, withoutShown, withUrls } from './entries.mjs'
import { file, readJson } from './file.mjs'
import { assertSure, print, sure } from './output.mjs'
import { changesOf, patchOf } from './plan.mjs'
import { runPlan } from './run-plan.mjs'
import { table } from './table.mjs'

const FILE = `The file is a JSON list, or { "endpoints": [...], "groups": [...] }. A url may be "env:NAME", for the
environment variable that holds the connection string. Without a url, a database of an endpoint keeps
the one that it has. Exit code 3 if there is something to change, and no --yes.`

const options = {
  ...file,
  prune: { type: 'boolean', about: 'also remove what the file does not have' },
  ...sure,
}

export const applyCommands = [
  {
    words: 'apply',
    args: [],
    about: 'Makes endpoints what a file says. Prints a plan first.',
    more: FILE,
    options,
    run: ({ ask, options }) => apply(ask, options, 'endpoints'),
  },
  {
    words: 'group list',
    args: [],
    about: 'Lists the groups, and what they may see.',
    async run({ ask, options }) {
      const groups = await listOf(ask, 'groups')
      print(options, groups, () => table(groupColumns, groups))
    },
  },
  {
    words: 'group apply',
    args: [],
    about: 'Makes groups what a file says. Prints a plan first.',
    more: FILE,
    options,
    run: ({ ask, options }) => apply(ask, options, 'groups'),
  },
  {
    words: 'group remove',
    args: ['NAME'],
    about: 'Removes a group, which then restricts nobody.',
    options: sure,
    async run({ ask, args: [name], options }) {
      const path = pathOf('groups', name)
      const { people, keys } = await ask('GET', path)
      const members = [...people, ...keys].join(', ') || 'nobody'
      assertSure(options, `remove the group ${name}, so that it no longer restricts ${members}`)
      await ask('DELETE', path)
      print(options, { removed: name }, () => `Removed ${name}.`)
    },
  },
]

const pathOf = (list, name) => `/api/${list}/${encodeURIComponent(name)}`

const groupColumns = [
  ['name', (it) => it.name],
  ['title', (it) => it.title],
  ['people', (it) => it.people.join(', ')],
  ['keys', (it) => it.keys.join(', ')],
  ['endpoints', (it) => Object.keys(it.endpoints).join(', ')],
]

/** The lists of a file. Endpoints come first, because groups name them. */
const lists = {
  endpoints: { kind: 'endpoint', complete: withUrls },
  groups: { kind: 'group', complete: withOwnUrls },
}

/** Compares a file with what is there, prints the plan, and carries it out if it may. */
async function apply(ask, options, usual) {
  const value = readJson(options.file)
  const given = Array.isArray(value) ? { [usual]: value } : value
  const inFile = Object.keys(lists).filter((list) => Array.isArray(given?.[list]))
  if (inFile.length === 0) throw new Failure(`${options.file} has no list of ${usual}.`, 2)
  const changes = []
  const remarks = []
  for (const list of inFile) {
    const { wanted, existing } = await compared(ask, list, given[list])
    const { kind } = lists[list]
    const found = changesOf(kind, wanted, existing, options.prune)
    changes.push(...found.map((it) => ({ ...it, list })))
    const rest = options.prune ? [] : [...existing.keys()].filter((name) => !wanted.has(name))
    remarks.push(
      ...rest.map((it) => `  ${kind} ${it} is not in the file, and stays without --prune.`),
    )
  }
  // A group goes before the endpoints that it names.
  const removed = changes.filter(({ action }) => action === 'remove').reverse()
  const ordered = [...changes.filter(({ action }) => action !== 'remove'), ...removed]
  return runPlan(options, ordered, () => carryOut(ask, ordered), remarks)
}

/** What a file wants of a list, and what is there, by name. */
async function compared(ask, list, entries) {
  const { kind, complete } = lists[list]
  const there = await listOf(ask, list)
  const wanted = named(entries, kind)
  const isDemo = ({ databases }) => Object.values(databases).every(({ url }) => url === 'demo:')
  const configured = there.filter((it) => it.from === 'configuration')
  const clash = configured.find((it) => !isDemo(it) && wanted.some(({ name }) => name === it.name))
  if (clash) {
    throw new Failure(`The endpoint ${clash.name} is from the configuration. Change it there.`)
  }
  const stored = there.filter((it) => !configured.includes(it)).map(withoutShown)
  const existing = new Map(stored.map((it) => [it.name, it]))
  const schema = await schemaOf(ask, `/api/${list}`)
  const whole = wanted.map((it) => {
    const before = existing.get(it.name)
    const { active } = before ?? {}
    const value = complete(it, before)
    // A new entry is shown as its file has it.
    return before ? filled(schema, { ...(active !== undefined && { active }), ...value }) : value
  })
  return { wanted: new Map(whole.map((it) => [it.name, it])), existing }
}

/** Makes the changes one by one, until one is refused. Says how many were made. */
async function carryOut(ask, changes) {
  for (const [i, { action, kind, list, name, before, value }] of changes.entries()) {
    try {
      if (action === 'add') await ask('POST', `/api/${list}`, value)
      else if (action === 'change') await ask('PATCH', pathOf(list, name), patchOf(before, value))
      else await ask('DELETE', pathOf(list, name))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      console.error(`The ${kind} ${name}: ${error.message}`)
      console.error(`${i} of ${changes.length} changes were made. The rest was not tried.`)
      return i
    }
  }
  return changes.length
}
