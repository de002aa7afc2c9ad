// The variables of a gateway, as a Worker would have them, from what the command was given.
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { Fault } from './fault.mjs'

/** A file of settings. */
const MAX_BYTES = 1_000_000

/**
 * ENDPOINTS, DATABASE_URL and all other variables.
 *
 * @param asked what {@link readArguments} gives
 * @param environment the variables of the process
 * @param library reads connection strings and JSON
 * @param say takes a sentence for the person at the terminal
 */
export async function variablesOf(asked, environment, library, say) {
  const variables = { ...(asked.vars && variablesIn(asked.vars)), ...filled(environment) }
  Object.assign(variables, inFiles(variables))
  const urlOf = (text, folder) => connectionString(text, folder, library, say)
  // Who enters a database here is the owner of the machine: it may be a file of it, or in its network.
  if (isForOwner(asked)) variables.PRIVATE_HOSTS ??= '*'
  if (asked.ssh) variables.SSH_TUNNEL = asked.ssh
  if (asked['ssh-key']) variables.SSH_KEY = asked['ssh-key']
  const config = asked.config ?? (/\.json$/i.test(asked.database ?? '') && asked.database)
  if (config) {
    return { ...variables, ...(await configured(config, library, urlOf)), DATABASE_URL: '' }
  }
  const demo = { ...variables, ENDPOINTS: '', DATABASE_URL: '' }
  if (asked.demo) return demo
  const name = asked['url-env']
  if (name && !variables[name])
    throw new Fault(`The variable ${shown(name)} is not set. It has to hold the connection string.`)
  const given = asked.database ?? (name && variables[name])
  if (given === undefined && variables.ENDPOINTS) return variables
  const text = given ?? variables.DATABASE_URL
  // A deployment without a database shows the demo. A host that starts a command expects one.
  if (!text && asked.way === 'http') return demo
  if (!text) throw new Fault(NOTHING)
  return {
    ...variables,
    ENDPOINTS: JSON.stringify([oneEndpoint(asked)]),
    DATABASE_URL: await urlOf(text, '.'),
  }
}

/** Whether only this machine can ask: the operator of what others can ask may be another than its owner. */
export const isForOwner = ({ way, host = '127.0.0.1', proxied }) =>
  way !== 'http' || (!proxied && /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host))

/** Variables that may be in files, as containers have their secrets. */
const IN_FILES = ['DATABASE_URL', 'ENDPOINTS', 'TIDEGATE_KEY', 'TIDEGATE_SECRET']

/** The values of `DATABASE_URL_FILE` and its like. */
function inFiles(variables) {
  const named = IN_FILES.filter((name) => !variables[name] && variables[`${name}_FILE`])
  return Object.fromEntries(named.map((name) => [name, textOf(variables[`${name}_FILE`]).trim()]))
}

/** Said where nothing tells what to serve. */
const NOTHING =
  'Name a database: npx tidegate postgres://user:password@host/database, or a SQLite file, or --config FILE, or --demo. Or set the variable DATABASE_URL.'

/** The endpoint of one database. Fields that are undefined have their defaults. */
function oneEndpoint(asked) {
  const { title = 'Database', purpose, rows, timeout } = asked
  return {
    name: 'main',
    title,
    databases: { main: { url: 'secret:DATABASE_URL', purpose } },
    sql: !asked['no-sql'],
    caps: { rows, timeoutMs: timeout && timeout * 1_000 },
  }
}

/** The endpoints of a file. A connection string in it becomes a secret, which a configuration names. */
async function configured(path, { jsonFault }, urlOf) {
  const text = textOf(path)
  let value
  try {
    value = JSON.parse(text)
  } catch {
    throw new Fault(`${path} is not JSON. ${jsonFault(text)}`)
  }
  const endpoints = Array.isArray(value) ? value : [value]
  if (endpoints.length === 0 || !endpoints.every(isObject))
    throw new Fault(`${shown(path)} has no endpoint: docs/endpoints.md has the fields of one.`)
  const secrets = {}
  for (const { databases } of endpoints.filter((it) => isObject(it?.databases))) {
    for (const database of Object.values(databases).filter((it) => typeof it?.url === 'string')) {
      if (/^(?:secret|credential):/.test(database.url)) continue
      const [, variable] = /^env:(\w+)$/.exec(database.url) ?? []
      if (variable)
        throw new Fault(
          `In ${shown(path)}, write "secret:${variable}" for the variable ${variable}.`,
        )
      const name = `URL_IN_FILE_${Object.keys(secrets).length + 1}`
      secrets[name] = await urlOf(database.url, dirname(path))
      database.url = `secret:${name}`
    }
  }
  return { ...secrets, ENDPOINTS: JSON.stringify(endpoints) }
}

const isObject = (value) => typeof value === 'object' && value !== null

/** A fault of the configuration, in the words of this command. */
export function faultHere(message, { config, database }) {
  const path = config ?? (/\.json$/i.test(database ?? '') && database)
  const [, missing] = /^The secret (\w+) is not set\./.exec(message) ?? []
  if (missing) return `The variable ${missing} is not set. It has to hold the connection string.`
  return path ? message.replace(/^ENDPOINTS/, shown(path)) : message
}

/** The URL that drivers take, of a URL, a file, or what else people paste. */
async function connectionString(text, folder, { isDatabaseUrl, recognise }, say) {
  const trimmed = text.trim()
  const path = resolve(folder, trimmed.replace(/^(?:file|sqlite):(?!\/\/)/i, ''))
  // A URL has a scheme of two letters at least: C:\shop.db is a file.
  const isNamed = !/^[a-z][a-z\d+.-]+:/i.test(trimmed) && /\.(?:sqlite3?|db3?|s3db)$/i.test(trimmed)
  const isPath = isNamed || /^(?:~?\/|\.{1,2}[\\/]|[a-z]:[\\/])/i.test(trimmed)
  if (isPath && !existsSync(path)) throw new Fault(`There is no file ${shown(trimmed)}.`)
  const isFile = /^(?:file|sqlite):(?!\/\/)/i.test(trimmed) || isNamed
  if (isFile || isFileName(trimmed, path)) return pathToFileURL(path).href
  if (await isDatabaseUrl(trimmed)) return trimmed
  const found = await recognise(trimmed)
  if (!('url' in found)) throw new Fault(found.sentence)
  for (const sentence of [...found.changes, ...found.hints]) say(sentence)
  return found.url
}

const isFileName = (text, path) => text.length < 4_096 && !text.includes('://') && existsSync(path)

const REASONS = {
  EACCES: 'this user has no right to',
  EPERM: 'this user has no right to',
  EISDIR: 'it is a folder',
}

function textOf(path) {
  let bytes
  try {
    bytes = beginningOf(path)
  } catch (error) {
    throw new Fault(
      error.code === 'ENOENT'
        ? `There is no file ${shown(path)}.`
        : `${shown(path)} cannot be read: ${REASONS[error.code] ?? error.code}.`,
    )
  }
  if (bytes.length > MAX_BYTES) throw new Fault(`${shown(path)} is too large for settings.`)
  return bytes.toString('utf8').replace(/^\ufeff/, '')
}

/** At most a byte more than settings have: a device may have no end. */
function beginningOf(path) {
  const file = openSync(path)
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** The variables in a file of lines NAME=value. Throws {@link Fault} if there are none. */
function variablesIn(path) {
  const found = parseEnv(textOf(path))
  if (Object.keys(found).length > 0) return found
  throw new Fault(`${shown(path)} has no line NAME=value.`)
}

/** A name as it may stand in a sentence. */
const shown = (text) => text.replaceAll(/\p{C}/gu, '').slice(0, 200)

/** The variables that endpoints name. */
const named = ({ ENDPOINTS = '' }) =>
  [...ENDPOINTS.matchAll(/"secret:(\w+)"/g)].map(([, name]) => name)

/** Those of them that are not set. */
export const unsetIn = (variables) => [...new Set(named(variables))].filter((it) => !variables[it])

/** What is secret in the variables of a gateway: keys, and the passwords of its databases. */
export function secretsOf(variables) {
  const urls = ['DATABASE_URL', ...named(variables)].flatMap((name) => variables[name] ?? [])
  const passwords = urls.flatMap((text) => {
    const [, written] = /\/\/[^/@:]*:([^@/]*)@/.exec(text) ?? []
    return written ? [written, decoded(written)] : []
  })
  // SSH_KEY is the path of one.
  const keys = Object.entries(variables).filter(
    ([name]) => /(?:KEY|SECRET|PASSWORD|PASSPHRASE|TOKEN)$/.test(name) && name !== 'SSH_KEY',
  )
  return [...urls, ...passwords, ...keys.map(([, value]) => value)]
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Variables that are set. */
const filled = (variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
