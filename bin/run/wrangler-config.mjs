// What wrangler's configuration says of a Worker, as far as this machine needs it.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Fault } from './fault.mjs'

/** In the order in which wrangler looks for them. */
const NAMES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/** What a Worker may be bound to and this machine has not. */
const ELSEWHERE = [
  ...['ai', 'analytics_engine_datasets', 'browser', 'd1_databases', 'hyperdrive', 'kv_namespaces'],
  ...['queues', 'r2_buckets', 'services', 'vectorize', 'workflows'],
]

/**
 * Reads the configuration in a folder, or beside a module. Throws {@link Fault}.
 *
 * @returns the module, its folder, its variables, its objects: class by binding; and which of its bindings
 *   are only there at Cloudflare
 */
export async function wranglerConfig(path) {
  const place = resolve(path)
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) throw new Fault(`There is no ${path} here.`)
  const folder = isFolder ? place : dirname(place)
  const name = NAMES.find((it) => existsSync(join(folder, it)))
  if (!name) {
    throw new Fault(`There is no wrangler.toml in ${folder}. It says which objects the server has.`)
  }
  const config = await parsed(join(folder, name), name)
  const main = isFolder ? config.main : place
  if (typeof main !== 'string') throw new Fault(`${name} has no main: the path of the module.`)
  const bindings = config.durable_objects?.bindings ?? []
  return {
    folder,
    module: resolve(folder, main),
    variables: config.vars ?? {},
    objects: Object.fromEntries(bindings.map((it) => [it.name, it.class_name])),
    elsewhere: ELSEWHERE.filter((it) => config[it] !== undefined),
  }
}

async function parsed(path, name) {
  const text = readFileSync(path, 'utf8')
  try {
    if (name.endsWith('.toml')) return (await import('@decimalturn/toml-patch')).parse(text)
    return (await import('jsonc-parser')).parse(text, [], { allowTrailingComma: true }) ?? {}
  } catch {
    throw new Fault(`${path} is not written as its name says.`)
  }
}
