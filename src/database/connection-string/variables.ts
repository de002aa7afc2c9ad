import { fieldOf, plainName } from './draft.ts'
import { guessed, schemeIn, schemeOf, usual } from './engine-of.ts'
import type { Notes, StringDraft } from './pasted.ts'

type StringVariables = ReadonlyMap<string, string>

/** Names that stand for a field only after a prefix, with those fields. Without it, they mean something else. */
const MORE = new Map([['name', 'database'] as const, ['root', 'user'] as const])

/** Variables that contain the engine. */
const ENGINES = ['engine', 'adapter', 'connection', 'driver', 'dialect', 'client']

/** Reads the host, the user and so on from separate variables: `DB_HOST`, `PGUSER`, `spring.datasource.password`. */
export function readVariables(variables: StringVariables, notes: Notes): StringDraft | undefined {
  for (const [named] of variables) {
    const prefix = /^(.*?)host(?:name)?$/.exec(plainName(named))?.[1]
    if (prefix === undefined) continue
    const draft: StringDraft = { ...fieldsOf(prefix, variables), params: new Map() }
    if (!draft.host || (draft.user ?? draft.database) === undefined) continue
    const own = behind(prefix, variables)
    for (const [rest, value] of own) {
      if (/^(?:ssl|sslmode|tls)$/.test(rest)) draft.params.set(rest, value)
    }
    const written = own.find(([rest]) => ENGINES.includes(rest))?.[1] ?? ''
    const engine = guessed(draft, notes)
    const scheme = schemeIn(written, notes) ?? schemeOf(prefix, notes) ?? (engine && usual(engine))
    return { ...draft, scheme }
  }
  return undefined
}

/** Finds the variables whose names begin with a prefix, with the rest of their names. */
const behind = (prefix: string, variables: StringVariables) =>
  [...variables]
    .map(([name, value]) => [plainName(name), value] as const)
    .filter(([name, value]) => name.startsWith(prefix) && value !== '')
    .map(([name, value]) => [name.slice(prefix.length), value] as const)

function fieldsOf(prefix: string, variables: StringVariables): Omit<StringDraft, 'params'> {
  const fields: Omit<StringDraft, 'params'> = {}
  for (const [rest, value] of behind(prefix, variables)) {
    const field = fieldOf(rest) ?? (prefix === '' ? undefined : MORE.get(rest as 'name'))
    if (field) fields[field] ??= value
  }
  return fields
}

/** Fills in a missing user, password or token from variables next to the one with the connection string. */
export function completed(
  draft: StringDraft,
  name: string | undefined,
  variables: StringVariables,
  { engines }: Notes,
): StringDraft {
  const engine = engines.find(({ schemes }) => Object.hasOwn(schemes, draft.scheme ?? ''))
  const ending = engine?.tokenVariable
  if (ending !== undefined) {
    const token = [...variables].find(([it]) => plainName(it).endsWith(ending))?.[1]
    const hasToken = (draft.password ?? draft.user) !== undefined || draft.params.has(ending)
    return hasToken ? draft : { ...draft, password: token }
  }
  const prefix = plainName(name ?? '').replace(/(?:url|uri|dsn)$/, '')
  if (prefix === '') return draft
  const { user, password } = fieldsOf(prefix, variables)
  return { ...draft, user: draft.user ?? user, password: draft.password ?? password }
}
