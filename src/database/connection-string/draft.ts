import type { Machine } from '../machine.ts'
import type { Family } from './families.ts'

/** What was read of a connection string so far, decoded. */
export interface Draft {
  family?: Family | undefined
  /** The scheme for our drivers, where its family has several. */
  scheme?: string | undefined
  user?: string | undefined
  password?: string | undefined
  /** Several stand behind each other with commas, and so do their ports, which may be empty. */
  host?: string | undefined
  port?: string | undefined
  database?: string | undefined
  /** All else, by the names that were written, in small letters. */
  readonly params: Map<string, string>
}

/** What the reader of a connection string is told about it, in sentences without a secret. */
export interface Notes {
  readonly changes: string[]
  readonly hints: string[]
  /** The machine that will open it, where it is no Worker. */
  readonly machine?: Machine | undefined
}

/** Whether a connection string may name files of the machine: certificates, sockets, SQLite. */
export const mayNameFiles = ({ machine }: Notes): boolean =>
  machine !== undefined && !machine.isGuest

/** The fields of a draft that a name may stand for. */
export type Field = 'user' | 'password' | 'host' | 'port' | 'database'

/** How programs call the fields, in small letters and without spaces, points, lines and underscores. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  host: ['host', 'hostname', 'hostaddr', 'server', 'servername', 'datasource', 'address', 'addr'],
  port: ['port', 'portnumber'],
  user: ['user', 'username', 'userid', 'uid', 'login'],
  password: ['password', 'pass', 'passwd', 'pwd'],
  database: ['database', 'dbname', 'db', 'databasename', 'initialcatalog', 'catalog'],
}

const FIELDS = new Map<string, Field>(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((it) => [it, field as Field])),
)

/** A name without what programs write differently in it: `user id` and `User_Id` are `userid`. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** The field that a name stands for. */
export const fieldOf = (name: string): Field | undefined => FIELDS.get(plainName(name))

/** Puts a value into the field that its name stands for, else among the parameters. */
export function put(draft: Draft, name: string, value: string): void {
  const field = fieldOf(name)
  if (!field) draft.params.set(name.trim().toLowerCase(), value)
  else if (value !== '' || draft[field] === undefined) draft[field] = value
}

/** Takes a parameter out of a draft, by any of its names. */
export function take(draft: Draft, ...names: readonly string[]): string | undefined {
  let found: string | undefined
  for (const name of [...draft.params.keys()]) {
    if (!names.includes(plainName(name))) continue
    found ??= draft.params.get(name)
    draft.params.delete(name)
  }
  return found
}

/** The port of the first host of a draft. */
export const firstPort = ({ port = '' }: Draft): string | undefined =>
  port.split(',', 1)[0] || undefined

/** A part of a URL as it was meant: decoded, or as it stands if its percent signs encode nothing. */
export function meant(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
