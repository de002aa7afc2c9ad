// Updates a project's wrangler.toml for this version. A person's additions stay.
import { isDeepStrictEqual } from 'node:util'
import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { isObject } from '../../ground/index.ts'
import { Mistake } from '../terminal/failure.ts'

type TomlTable = Record<string, unknown>

/** The parts of a wrangler.toml that matter here. */
interface WranglerToml extends TomlTable {
  compatibility_date?: string
  compatibility_flags?: readonly string[]
  /** Object classes. */
  exports?: Readonly<Record<string, object>>
  migrations?: readonly Migration[]
}

interface Migration {
  readonly tag: string
  readonly new_sqlite_classes?: readonly string[]
  readonly new_classes?: readonly string[]
  readonly renamed_classes?: readonly { readonly to: string }[]
}

/** Lists of tables that the Worker needs, with the fields that identify an entry. */
const LISTS = [
  { path: ['durable_objects', 'bindings'], by: 'name', same: ['class_name'] },
  { path: ['ratelimits'], by: 'name', same: [] },
  { path: ['rules'], by: 'type', same: [] },
] as const

/** Settings that the package needs to find its modules. */
const TOP = ['name', 'main', 'no_bundle', 'find_additional_modules', 'base_dir']

/**
 * Adds missing parts to a configuration: objects and their classes, limits, flags, and a recent enough date.
 * @param wanted the configuration of this version
 * @returns the text, which is unchanged if nothing was missing, and the additions
 * @throws {Mistake} that says what to add, if the file's format does not allow additions
 */
export function upgraded(
  text: string,
  wanted: string,
): { readonly text: string; readonly added: readonly string[] } {
  const is = read(text)
  const needs: WranglerToml = parse(wanted)
  const added: string[] = []
  const blocks: string[] = []
  const after = structuredClone(is)
  for (const name of TOP) {
    if (after[name] !== undefined || needs[name] === undefined) continue
    after[name] = needs[name]
    added.push(name)
  }
  const { compatibility_date: date = '', compatibility_flags: allFlags = [] } = needs
  if (String(after.compatibility_date ?? '') < date) {
    after.compatibility_date = date
    added.push(`compatibility_date ${date}`)
  }
  const flags = allFlags.filter((it) => !after.compatibility_flags?.includes(it))
  if (flags.length > 0) {
    after.compatibility_flags = [...(after.compatibility_flags ?? []), ...flags]
    added.push(...flags)
  }
  // Existing settings change in place. New settings come before all tables, and new tables at the end.
  const fresh = Object.keys(after).filter((it) => is[it] === undefined)
  const own = Object.fromEntries(Object.entries(after).filter(([it]) => !fresh.includes(it)))
  const head = lines(Object.fromEntries(fresh.map((it) => [it, after[it]])))
  const kept = isDeepStrictEqual(own, is) ? text : patched(text, own)
  let changed = fresh.length > 0 ? `${head.trimEnd()}\n${kept}` : kept
  for (const { path, by, same } of LISTS) {
    for (const it of entriesAt(needs, path)) {
      const there = entriesAt(after, path).find((other) => other[by] === it[by])
      if (there && same.some((name) => there[name] !== it[name])) throw conflict(path, it)
      if (there) continue
      put(after, path, [...entriesAt(after, path), it])
      blocks.push(`[[${path.join('.')}]]\n${lines(it)}`)
      added.push(`${path.at(-1)} ${it[by]}`)
    }
  }
  for (const [name, it] of classesOf(needs, after)) {
    blocks.push(it)
    added.push(`class ${name}`)
  }
  if (blocks.length > 0) {
    changed = `${changed.trimEnd()}\n\n${blocks.map((it) => `${it.trimEnd()}\n`).join('\n')}`
  }
  if (!isWhole(changed, after)) throw notWritten(added, blocks)
  return { text: changed, added }
}

/** Classes not declared yet, as text: in `exports`, or, in a project with migrations, as the next migration. */
function* classesOf(
  { exports: classes = {} }: WranglerToml,
  after: WranglerToml,
): Generator<readonly [name: string, text: string]> {
  const names = Object.keys(classes)
  if (after.migrations === undefined) {
    for (const name of names.filter((it) => after.exports?.[it] === undefined)) {
      after.exports = { ...after.exports, [name]: classes[name]! }
      yield [name, `[exports.${name}]\n${lines(classes[name]!)}`]
    }
    return
  }
  const known = after.migrations.flatMap((it) => [
    ...[...(it.new_sqlite_classes ?? []), ...(it.new_classes ?? [])],
    ...(it.renamed_classes ?? []).map(({ to }) => to),
  ])
  const missing = names.filter((it) => !known.includes(it))
  if (missing.length === 0) return
  const migration = { tag: `tidegate-${missing.join('-')}`, new_sqlite_classes: missing }
  after.migrations = [...after.migrations, migration]
  yield [missing.join(', '), `[[migrations]]\n${lines(migration)}`]
}

function read(text: string): WranglerToml {
  try {
    return parse(text)
  } catch {
    throw new Mistake('wrangler.toml is not valid TOML. Nothing was deployed.')
  }
}

function patched(text: string, value: TomlTable): string {
  try {
    return patch(text, value)
  } catch {
    return text
  }
}

/** True if the TOML contains exactly this value. */
function isWhole(text: string, value: TomlTable): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(value))
  } catch {
    return false
  }
}

/** A table as lines, with nested tables on one line each. */
const lines = (value: object): string => stringify(value, { inlineTableStart: 0 })

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The tables in a list. */
function entriesAt(value: TomlTable, path: readonly string[]): readonly TomlTable[] {
  let found: unknown = value
  for (const name of path) found = isObject(found) ? found[name] : undefined
  return Array.isArray(found) ? found.filter(isObject) : []
}

function put(value: TomlTable, [name = '', ...rest]: readonly string[], it: unknown): void {
  if (rest.length === 0) {
    value[name] = it
    return
  }
  const within = isObject(value[name]) ? value[name] : {}
  value[name] = within
  put(within, rest, it)
}

const conflict = (path: readonly string[], it: TomlTable): Mistake =>
  new Mistake(
    `wrangler.toml has another entry with this name in ${path.join('.')}. Nothing was deployed. Tidegate needs:\n${lines(it)}`,
  )

const notWritten = (added: readonly string[], blocks: readonly string[]): Mistake =>
  new Mistake(
    `wrangler.toml lacks settings that this version needs, and its format does not allow adding them. Nothing was deployed. Add: ${added.join(', ')}.\n${blocks.join('\n')}`,
  )
