// `tidegate add` and `tidegate remove`: the entry of a server in the configuration of a host.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { Failure } from './api.mjs'
import { confirmed } from './confirm.mjs'
import { at, configIn, isTable } from './hosts/config.mjs'
import { readConfigFile, writeConfigFile } from './hosts/config-file.mjs'
import { difference, shown } from './hosts/difference.mjs'
import { changesFor, hostNamed, hosts, settingsFolder } from './hosts/hosts.mjs'
import { serverOf, serverOptions } from './hosts/server.mjs'
import { NOT_DONE, print } from './output.mjs'

const names = Object.keys(hosts).join(', ')

const where = {
  name: { type: 'string', value: 'NAME', about: 'what the host calls it; else tidegate' },
  scope: { type: 'string', value: 'SCOPE', about: '"user", else "project": the folder you are in' },
  yes: { type: 'boolean', about: 'write without asking' },
}

export const hostCommands = [
  {
    words: 'add',
    args: ['HOST', '[WHAT]'],
    about: 'Writes an entry into the configuration of a host, after showing it.',
    more: `HOST is one of: ${names}.
WHAT is the URL of an endpoint (https://…/mcp), or a SQLite file that the host then opens by this program. No secret is
written: the file names a variable, and the host reads it.`,
    needsKey: false,
    options: { ...serverOptions, ...where },
    async run({ args: [host, what], options }) {
      return await add(host, what, options, thisMachine())
    },
  },
  {
    words: 'remove',
    args: ['HOST'],
    about: 'Takes the entry out of the configuration of a host again.',
    more: `HOST is one of: ${names}.`,
    needsKey: false,
    options: where,
    async run({ args: [host], options }) {
      return await remove(host, options, thisMachine())
    },
  },
]

/** What the place and the form of an entry depend on. */
const thisMachine = () => ({ platform: process.platform, env: process.env, home: homedir() })

async function add(hostName, what, options, machine) {
  const { host, name, path } = placeOf(hostName, options, machine)
  const server = serverOf(what, options, { ...machine, isShared: options.scope === 'project' })
  const { entry, inputs } = sentences(() => changesFor(host, name, server))
  const file = readConfigFile(path)
  const config = await configOf(host, file)
  const edits = [entry]
  if (inputs.length > 0) edits.push({ path: ['inputs'], value: withInputs(config.value, inputs) })
  const code = await write({ host, file, config, edits, options, what: `add ${name}` })
  if (code !== undefined) return code
  if (!options.json) {
    for (const line of nextSteps(host, name, server)) console.error(line)
  }
}

async function remove(hostName, options, machine) {
  const { host, name, path } = placeOf(hostName, options, machine)
  const file = readConfigFile(path)
  const config = await configOf(host, file)
  const was = at(config.value, [...host.place, name])
  if (was === undefined) {
    print(options, { file: file.path, written: false }, () => `${path} has no ${name}.`)
    return 0
  }
  const edits = [{ path: [...host.place, name] }]
  const inputs = host.inputs && withoutInputs(config.value, name, host.place)
  if (inputs) edits.push({ path: ['inputs'], value: inputs.length > 0 ? inputs : undefined })
  return await write({ host, file, config, edits, options, what: `remove ${name}` })
}

/** Shows the difference, asks, and writes. Returns an exit code if nothing was written. */
async function write({ host, file, config, edits, options, what }) {
  const changes = edits
    .map(({ path, value }) => ({ path, was: at(config.value, path), becomes: value }))
    .filter(({ was, becomes }) => JSON.stringify(was) !== JSON.stringify(becomes))
  const report = (written, kept) =>
    print(
      options,
      {
        host: host.title,
        file: file.path,
        written,
        ...(kept && { before: kept }),
        changes: changes.map(({ path, was, becomes }) => ({
          at: path.join('.'),
          was: shown(was),
          becomes,
        })),
      },
      () =>
        written
          ? `Wrote ${file.path}.${kept ? ` What it held is in ${kept}.` : ''}`
          : changes.length === 0
            ? `${file.path} has it already.`
            : '',
    )
  if (changes.length === 0) {
    report(false)
    return 0
  }
  if (!options.json) {
    console.log(`${host.title}: ${file.path}${file.isNew ? ' (a new file)' : ''}`)
    for (const { path, was, becomes } of changes) {
      console.log(`  ${path.join('.')}`)
      for (const line of difference(was, becomes)) console.log(`  ${line}`)
    }
  }
  const text = sentences(
    () => config.with(edits),
    `${file.path} cannot be edited without changing more than this entry. Put it in by hand.`,
  )
  if (!(await confirmed(options, 'Write this?'))) {
    if (options.json) report(false)
    console.error(`This would ${what}. Nothing was changed: add --yes to do it.`)
    return NOT_DONE
  }
  report(true, writeConfigFile(file, text))
}

/** The host, the name of the entry, and the file that it goes into. */
function placeOf(hostName, { name = 'tidegate', scope = 'user' }, machine) {
  const host = hostNamed(hostName)
  if (!host) throw new Failure(`There is no host of this name. Name one of: ${names}.`, 2)
  if (!/^[a-z][\w-]{0,39}$/i.test(name))
    throw new Failure('A name begins with a letter, and has letters, digits, "-" and "_".', 2)
  const { join } = machine.platform === 'win32' ? win32 : posix
  const around = { ...machine, join }
  const files = host.files({ ...around, settings: settingsFolder(around) })[scope]
  if (!files) {
    throw new Failure(
      scope === 'project'
        ? `${host.title} has no file for a project. Leave --scope out.`
        : 'The scope is "user" or "project".',
      2,
    )
  }
  return { host, name, path: files.find((it) => existsSync(it)) ?? files[0] }
}

async function configOf(host, file) {
  const kind = host.format === 'toml' ? 'TOML' : 'JSON'
  const config = await configIn(host.format, file.text).catch(() => {
    throw new Failure(
      `${file.path} is no ${kind}, so it was left alone. Mend it first; ${host.title} cannot read it either.`,
    )
  })
  const place = at(config.value, host.place)
  if (place !== undefined && !isTable(place))
    throw new Failure(`${file.path} has a ${host.place.join('.')} that is no table of servers.`)
  return config
}

/** The values that VS Code asks for, with these. */
const withInputs = ({ inputs = [] }, added) => [
  ...(Array.isArray(inputs) ? inputs : []).filter((it) => !added.some(({ id }) => id === it?.id)),
  ...added,
]

/** The values that VS Code asks for, without those that only this entry uses. */
function withoutInputs(value, name, place) {
  if (!Array.isArray(value.inputs)) return undefined
  const { [name]: removed, ...others } = at(value, place)
  const uses = (it, id) => JSON.stringify(it).includes(`\${input:${id}}`)
  const left = value.inputs.filter((it) => !uses(removed, it?.id) || uses(others, it?.id))
  return left.length < value.inputs.length ? left : undefined
}

function nextSteps(host, name, { url, keyEnv, env = [] }) {
  const needed = [keyEnv, ...env].filter(Boolean)
  return [
    ...(needed.length > 0 && host.inputs
      ? [`${host.title} asks for ${needed.join(' and ')} once, and keeps it.`]
      : needed.length > 0
        ? [`Set ${needed.join(' and ')} in the environment that ${host.title} is started from.`]
        : []),
    host.next,
    ...(url && host.nextRemote ? [host.nextRemote.replace('NAME', name)] : []),
    ...(url && !keyEnv && !host.noKey ? ['If it needs a key, add --key-env TIDEGATE_KEY.'] : []),
  ]
}

/** What this returns; a mistake as a sentence for the terminal. */
function sentences(run, sentence) {
  try {
    return run()
  } catch (error) {
    throw new Failure(sentence ?? error.message)
  }
}
