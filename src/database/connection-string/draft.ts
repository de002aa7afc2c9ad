import { words } from '../words.ts'
import type { Notes, StringDraft } from './pasted.ts'
import type { RecognisedField } from './recognised.ts'

/** True if a connection string is allowed to refer to files on the machine: certificates, sockets, databases. */
export const mayNameFiles = ({ machine }: Pick<Notes, 'machine'>): boolean =>
  machine !== undefined && !machine.isGuest

/** Names that programs use for the fields, in lower case, without spaces, dots, hyphens or underscores. */
const NAMES: Readonly<Record<RecognisedField, readonly string[]>> = {
  host: ['host', 'hostname', 'hostaddr', 'server', 'servername', 'datasource', 'address', 'addr'],
  port: ['port', 'portnumber'],
  user: ['user', 'username', 'userid', 'uid', 'login'],
  password: ['password', 'pass', 'passwd', 'pwd'],
  database: ['database', 'dbname', 'db', 'databasename', 'initialcatalog', 'catalog'],
}

const FIELDS = new Map<string, RecognisedField>(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.map((it) => [it, field as RecognisedField]),
  ),
)

/** Removes the differences between programs from a name: `user id` and `User_Id` become `userid`. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Looks up the field for a name. */
export const fieldOf = (name: string): RecognisedField | undefined => FIELDS.get(plainName(name))

/** Puts a value into the field for its name, or among the parameters. */
export function put(draft: StringDraft, name: string, value: string): void {
  const field = fieldOf(name)
  if (!field) draft.params.set(name.trim().toLowerCase(), value)
  else if (value !== '' || draft[field] === undefined) draft[field] = value
}

/** Takes a parameter out of a draft, by any of its names. */
export function take(draft: StringDraft, ...names: readonly string[]): string | undefined {
  let found: string | undefined
  for (const name of [...draft.params.keys()]) {
    if (!names.includes(plainName(name))) continue
    found ??= draft.params.get(name)
    draft.params.delete(name)
  }
  return found
}

/** The port for the first host in a draft. */
export const firstPort = ({ port = '' }: StringDraft): string | undefined =>
  port.split(',', 1)[0] || undefined

/** Decodes a part of a URL. Undefined if its percent-encoding is invalid. */
export function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Decodes a part of a URL. Returns it unchanged if its percent-encoding is invalid. */
export const meant = (part: string): string => decodedPart(part) ?? part

/** Makes a lookup from plain names to their meanings: `{ off: 'no none' }` becomes `{ no: 'off', none: 'off' }`. */
export const meanings = (
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([meaning, all]) => words(all).map((it) => [it, meaning])),
  )
