// `tidegate add` and `tidegate remove`: a server's entry in a host's configuration.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '../../ground/index.ts'
import { type Command, command, type common, type OptionValues } from '../command.ts'
import { CommandFailure, Mistake } from '../terminal/failure.ts'
import { confirmed, NOT_DONE, print } from '../terminal/output.ts'
import { at, type Config, configIn, type Edit } from './config.ts'
import { type ConfigFile, readConfigFile, writeConfigFile } from './config-file.ts'
import { difference, shown } from './difference.ts'
import {
  changesFor,
  type HostApp,
  hostNamed,
  hosts,
  type InputEntry,
  settingsFolder,
} from './hosts.ts'
import { type ServerEntry, serverOf, serverOptions } from './server.ts'

const names = Object.keys(hosts).join(', ')

const where = {
  name: { type: 'string', value: 'NAME', about: 'its name in the host; default: tidegate' },
  scope: {
    type: 'string',
    value: 'SCOPE',
    about: '"user" (default), or "project" for the current folder',
  },
  yes: { type: 'boolean', about: 'write without asking' },
} as const

type WhereOptions = OptionValues<typeof where & typeof common>

export const hostCommands: readonly Command[] = [
  command({
    words: 'add',
    args: ['HOST', '[WHAT]'],
    about: "Shows an entry for a host, then writes it to the host's configuration.",
    more: `HOST is one of: ${names}.
WHAT is the URL of an endpoint (https://…/mcp), or a SQLite file, which the host then opens with this program. No secret
is written: the file refers to a variable, which the host reads.`,
    options: { ...serverOptions, ...where },
    runHere: ({ args: [host, what], options }) => add(host, what, options),
  }),
  command({
    words: 'remove',
    args: ['HOST'],
    about: "Removes the entry from a host's configuration.",
    more: `HOST is one of: ${names}.`,
    options: where,
    runHere: ({ args: [host], options }) => remove(host, options),
  }),
]

async function add(
  hostName: string,
  what: string | undefined,
  options: WhereOptions & OptionValues<typeof serverOptions>,
): Promise<number | undefined> {
  const target = placeOf(hostName, options)
  const { host, name } = target
  const server = serverOf(what, options, options.scope === 'project')
  const { entry, inputs } = changesFor(host, name, server)
  const opened = await open(target)
  const edits: Edit[] = [entry]
  if (inputs.length > 0)
    edits.push({ path: ['inputs'], value: withInputs(opened.config.value, inputs) })
  const code = await write(opened, edits, options, `add ${name}`)
  if (code !== undefined) return code
  if (!options.json) {
    for (const line of nextSteps(host, name, server)) console.error(line)
    if (options.scope === 'project' && host.nextProject) console.error(host.nextProject)
  }
  return undefined
}

async function remove(hostName: string, options: WhereOptions): Promise<number | undefined> {
  const opened = await open(placeOf(hostName, options))
  const { host, name, path, file, config } = opened
  if (at(config.value, [...host.place, name]) === undefined) {
    print(options, { file: file.path, written: false }, () => `${path} has no ${name}.`)
    return 0
  }
  const edits: Edit[] = [{ path: [...host.place, name] }]
  const inputs = host.inputs && withoutInputs(config.value, name, host.place)
  if (inputs) edits.push({ path: ['inputs'], value: inputs.length > 0 ? inputs : undefined })
  return await write(opened, edits, options, `remove ${name}`)
}

/** Shows the difference, asks, and writes. Returns an exit code if nothing was written. */
async function write(
  { host, file, config }: Awaited<ReturnType<typeof open>>,
  edits: readonly Edit[],
  options: WhereOptions,
  what: string,
): Promise<number | undefined> {
  const changes = edits
    .map(({ path, value }) => ({ path, was: at(config.value, path), becomes: value }))
    .filter(({ was, becomes }) => JSON.stringify(was) !== JSON.stringify(becomes))
  const report = (written: boolean, kept?: string) =>
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
          ? `Wrote ${file.path}.${kept ? ` The old version is in ${kept}.` : ''}`
          : changes.length === 0
            ? `${file.path} already has it.`
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
  const text = textWith(config, edits, file)
  if (!(await confirmed(options, 'Write this?'))) {
    if (options.json) report(false)
    console.error(`This would ${what}. Nothing was changed: add --yes to do it.`)
    return NOT_DONE
  }
  report(true, writeConfigFile(file, text))
  return undefined
}

function textWith(config: Config, edits: readonly Edit[], { path }: ConfigFile): string {
  try {
    return config.with(edits)
  } catch {
    throw new CommandFailure(
      `${path} cannot be edited without changing more than this entry. Edit it by hand.`,
    )
  }
}

/** Resolves the host, the name of the entry, and its file. */
function placeOf(hostName: string, { name = 'tidegate', scope = 'user' }: WhereOptions) {
  const host = hostNamed(hostName)
  if (!host) throw new Mistake(`Unknown host. Name one of: ${names}.`)
  if (!/^[a-z][\w-]{0,39}$/i.test(name))
    throw new Mistake(
      'A name must begin with a letter, and contain only letters, digits, "-" and "_".',
    )
  const { platform, env } = process
  const around = { platform, env, home: homedir(), join }
  const all = host.files({ ...around, settings: settingsFolder(around) })
  const files = scope === 'project' ? all.project : scope === 'user' ? all.user : undefined
  const path = files?.find((it) => existsSync(it)) ?? files?.[0]
  if (path) return { host, name, path }
  throw new Mistake(
    scope === 'project'
      ? `${host.title} has no project file. Leave out --scope.`
      : 'The scope is "user" or "project".',
  )
}

/** Reads the configuration in a file. */
async function open(target: ReturnType<typeof placeOf>) {
  const { host, path } = target
  const file = readConfigFile(path)
  const kind = host.format === 'toml' ? 'TOML' : 'JSON'
  const config = await configIn(host.format, file.text).catch(() => {
    throw new CommandFailure(
      `${file.path} is not valid ${kind}, so nothing was changed. Correct it first: ${host.title} cannot read it either.`,
    )
  })
  const place = at(config.value, host.place)
  if (place !== undefined && !isObject(place))
    throw new CommandFailure(
      `${file.path} has a ${host.place.join('.')} that is not a table of servers.`,
    )
  return { ...target, file, config }
}

/** The values that VS Code asks for, plus these. */
const withInputs = ({ inputs }: Config['value'], added: readonly InputEntry[]) => [
  ...listIn(inputs).filter((it) => !added.some(({ id }) => id === idOf(it))),
  ...added,
]

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const idOf = (input: unknown): unknown => (isObject(input) ? input.id : undefined)

/** The values that VS Code asks for, minus those used only by this entry. */
function withoutInputs(value: Config['value'], name: string, place: readonly string[]) {
  const servers = at(value, place)
  if (!isObject(servers)) return undefined
  const { [name]: removed, ...others } = servers
  const uses = (it: unknown, id: unknown) => JSON.stringify(it).includes(`\${input:${id}}`)
  const inputs = listIn(value.inputs)
  const left = inputs.filter((it) => !uses(removed, idOf(it)) || uses(others, idOf(it)))
  return left.length < inputs.length ? left : undefined
}

function nextSteps(host: HostApp, name: string, server: ServerEntry): string[] {
  const isRemote = server.url !== undefined
  const needed = isRemote ? (server.keyEnv ? [server.keyEnv] : []) : server.env
  return [
    ...(needed.length > 0 && host.inputs
      ? [`${host.title} asks for ${needed.join(' and ')} once, and stores it.`]
      : needed.length > 0
        ? [`Set ${needed.join(' and ')} in the environment from which you start ${host.title}.`]
        : []),
    host.next,
    ...(isRemote && host.nextRemote ? [host.nextRemote.replace('NAME', name)] : []),
    ...(isRemote && needed.length === 0 && !host.noKey
      ? ['If it needs a key, add --key-env TIDEGATE_KEY.']
      : []),
  ]
}
