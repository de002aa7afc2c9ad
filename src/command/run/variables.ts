// A gateway's variables, as in a Worker, built from the command's arguments.
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { type ConfigError, jsonFault } from '../../gateway/index.ts'
import { isLoopback, isObject } from '../../ground/index.ts'
import { hasPassword } from '../database-url.ts'
import { MAX_BYTES, readFile, shared } from '../files/private-file.ts'
import { codeOf, Mistake } from '../terminal/failure.ts'
import type { Arguments } from './arguments.ts'
import { databaseUrl, shown } from './database-url.ts'

export type ServeVariables = Readonly<Record<string, string>>

/** The arguments that say what to serve. */
export type ServedArguments = Omit<Arguments, 'port' | 'state' | 'verbose' | 'origin' | 'endpoint'>

/**
 * Builds ENDPOINTS, DATABASE_URL and all other variables. Throws {@link Mistake}.
 *
 * @param say prints a message for the person at the terminal
 */
export async function variablesOf(
  asked: ServedArguments,
  environment: NodeJS.Dict<string>,
  say: (sentence: string) => void,
): Promise<ServeVariables> {
  const variables = { ...(asked.vars && variablesIn(asked.vars)), ...filled(environment) }
  Object.assign(variables, inFiles(variables))
  // A person who adds a database here owns the machine, so it can be a local file or on a private network.
  if (isForOwner(asked)) variables.PRIVATE_HOSTS ??= '*'
  if (asked.ssh) variables.SSH_TUNNEL = asked.ssh
  if (asked['ssh-key']) variables.SSH_KEY = asked['ssh-key']
  const key = variables.SSH_KEY && shared(variables.SSH_KEY.replace(/^~(?=\/)/, homedir()))
  if (key) throw new Mistake(key)
  const config = configOf(asked)
  if (config) return { ...variables, ...(await configured(config, say)), DATABASE_URL: '' }
  const demo = { ...variables, ENDPOINTS: '', DATABASE_URL: '' }
  if (asked.demo) return demo
  const name = asked['url-env']
  if (name && !variables[name])
    throw new Mistake(`The variable ${shown(name)} is not set. It must hold the connection string.`)
  const given = asked.database ?? (name && variables[name])
  if (given === undefined && variables.ENDPOINTS) return variables
  const text = given ?? variables.DATABASE_URL
  // A deployment without a database shows the demo. A host that starts a command expects a database.
  if (!text && asked.way === 'http') return demo
  if (!text) throw new Mistake(NOTHING)
  return {
    ...variables,
    ENDPOINTS: JSON.stringify([oneEndpoint(asked)]),
    DATABASE_URL: await databaseUrl(text, '.', say),
  }
}

/** The file with endpoints, if one is named. */
const configOf = ({ config, database }: ServedArguments): string | undefined =>
  config ?? (database && /\.json$/i.test(database) ? database : undefined)

/** True if only this machine can connect. Otherwise the operator might not own the machine. */
export const isForOwner = ({
  way,
  host = '127.0.0.1',
  proxied,
}: Pick<Arguments, 'way' | 'host' | 'proxied'>): boolean =>
  way !== 'http' || (!proxied && isLoopback(host))

/** Variables that can come from files, as secrets in containers do. */
const IN_FILES = ['DATABASE_URL', 'ENDPOINTS', 'TIDEGATE_KEY', 'TIDEGATE_SECRET']

/** Values of `DATABASE_URL_FILE` and similar variables. */
function inFiles(variables: ServeVariables): ServeVariables {
  return Object.fromEntries(
    IN_FILES.flatMap((name) => {
      const path = variables[`${name}_FILE`]
      return path && !variables[name] ? [[name, secretIn(path).trim()]] : []
    }),
  )
}

/** Error when nothing says what to serve. */
const NOTHING =
  'Name a database: npx tidegate postgres://user:password@host/database, or a SQLite file, or --config FILE, or --demo. Or set the variable DATABASE_URL.'

/** The endpoint for one database. Undefined fields get their defaults. */
function oneEndpoint(asked: ServedArguments): object {
  const { title = 'Database', purpose, rows, timeout } = asked
  return {
    name: 'main',
    title,
    databases: { main: { url: 'secret:DATABASE_URL', purpose } },
    sql: !asked['no-sql'],
    caps: { rows, timeoutMs: timeout && timeout * 1_000 },
  }
}

/** The endpoints in a file. A connection string in it becomes a secret that the configuration refers to. */
async function configured(path: string, say: (sentence: string) => void): Promise<ServeVariables> {
  const { text, shared } = textOf(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Mistake(`${path} is not JSON. ${jsonFault(text)}`)
  }
  const endpoints: unknown[] = Array.isArray(value) ? value : [value]
  if (endpoints.length === 0 || !endpoints.every((it) => typeof it === 'object' && it !== null))
    throw new Mistake(`${shown(path)} has no endpoint. See docs/endpoints.md for its fields.`)
  const secrets: Record<string, string> = {}
  for (const database of endpoints.flatMap(databasesIn)) {
    const { url } = database
    if (typeof url !== 'string' || /^(?:secret|credential):/.test(url)) continue
    const [, variable] = /^env:(\w+)$/.exec(url) ?? []
    if (variable)
      throw new Mistake(
        `In ${shown(path)}, write "secret:${variable}" for the variable ${variable}.`,
      )
    const name = `URL_IN_FILE_${Object.keys(secrets).length + 1}`
    secrets[name] = await databaseUrl(url, dirname(path), say)
    database.url = `secret:${name}`
  }
  if (shared && Object.values(secrets).some((it) => !URL.canParse(it) || hasPassword(it)))
    throw new Mistake(shared)
  return { ...secrets, ENDPOINTS: JSON.stringify(endpoints) }
}

const databasesIn = (endpoint: unknown): Record<string, unknown>[] =>
  isObject(endpoint) && isObject(endpoint.databases)
    ? Object.values(endpoint.databases).filter(isObject)
    : []

/** A configuration error, in terms of this command. */
export function faultHere(
  { message, reason, subject }: ConfigError,
  asked: ServedArguments,
): string {
  if (reason === 'secret_missing' && subject)
    return `The variable ${subject} is not set. It must hold the connection string.`
  const path = configOf(asked)
  return path ? message.replace(/^ENDPOINTS/, shown(path)) : message
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EISDIR: 'it is a folder',
}

/** The contents of a file, and the reason that it must not hold a secret. Throws {@link Mistake}. */
function textOf(path: string): { readonly text: string; readonly shared: string | undefined } {
  let found: ReturnType<typeof readFile>
  try {
    found = readFile(path)
  } catch (error) {
    const code = codeOf(error)
    throw new Mistake(
      code === 'ENOENT'
        ? `There is no file ${shown(path)}.`
        : `${shown(path)} cannot be read: ${REASONS[code ?? ''] ?? code}.`,
    )
  }
  const { bytes, shared } = found
  if (bytes.length > MAX_BYTES) throw new Mistake(`${shown(path)} is too large for settings.`)
  return { text: bytes.toString('utf8').replace(/^\ufeff/, ''), shared }
}

/** The contents of a file that is or contains a secret. */
function secretIn(path: string): string {
  const { text, shared } = textOf(path)
  if (shared) throw new Mistake(shared)
  return text
}

/** The variables in a file with lines NAME=value. Throws {@link Mistake} if there are none. */
function variablesIn(path: string): ServeVariables {
  const found = filled(parseEnv(secretIn(path)))
  if (Object.keys(found).length > 0) return found
  throw new Mistake(`${shown(path)} has no line NAME=value.`)
}

/** Variables that endpoints refer to. */
const named = ({ ENDPOINTS = '' }: ServeVariables): string[] =>
  [...ENDPOINTS.matchAll(/"secret:(\w+)"/g)].flatMap(([, name]) => name ?? [])

/** Variables that endpoints refer to and that are not set. */
export const unsetIn = (variables: ServeVariables): string[] =>
  [...new Set(named(variables))].filter((it) => !variables[it])

/** Secrets in a gateway's variables: keys, and database passwords. */
export function secretsOf(variables: ServeVariables): string[] {
  const urls = ['DATABASE_URL', ...named(variables)].flatMap((name) => variables[name] ?? [])
  const passwords = urls.flatMap((text) => {
    const [, written] = /\/\/[^/@:]*:([^@/]*)@/.exec(text) ?? []
    return written ? [written, decoded(written)] : []
  })
  // SSH_KEY is the path of a key.
  const keys = Object.entries(variables).filter(
    ([name]) => /(?:KEY|SECRET|PASSWORD|PASSPHRASE|TOKEN)$/.test(name) && name !== 'SSH_KEY',
  )
  return [...urls, ...passwords, ...keys.map(([, value]) => value)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Variables that are set. */
const filled = (variables: NodeJS.Dict<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
