// Reads the parts of wrangler's configuration that matter on this machine.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Mistake } from '../terminal/failure.ts'

/** In the order in which wrangler looks for them. */
const NAMES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/** Bindings that a Worker can have, but this machine cannot. */
const ELSEWHERE = [
  ...['ai', 'analytics_engine_datasets', 'browser', 'd1_databases', 'hyperdrive', 'kv_namespaces'],
  ...['queues', 'r2_buckets', 'services', 'vectorize', 'workflows'],
]

/** The parts of a Worker's configuration that matter here. */
export interface WranglerConfig {
  readonly folder: string
  /** The path of its module. */
  readonly module: string
  readonly variables: Readonly<Record<string, string>>
  /** Object classes, by binding. */
  readonly objects: Readonly<Record<string, string>>
  /** Bindings that exist only at Cloudflare. */
  readonly elsewhere: readonly string[]
}

/** The fields of wrangler's configuration that are read here. */
interface WranglerFile extends Readonly<Record<string, unknown>> {
  readonly main?: unknown
  readonly vars?: Readonly<Record<string, string>>
  readonly durable_objects?: {
    readonly bindings?: readonly { readonly name: string; readonly class_name: string }[]
  }
}

/** Reads the configuration in a folder, or beside a module. Throws {@link Mistake}. */
export async function wranglerConfig(path: string): Promise<WranglerConfig> {
  const place = resolve(path)
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) throw new Mistake(`There is no ${path} here.`)
  const folder = isFolder ? place : dirname(place)
  const name = NAMES.find((it) => existsSync(join(folder, it)))
  if (!name) {
    throw new Mistake(`There is no wrangler.toml in ${folder}. It names the server's objects.`)
  }
  const config = await parsed(join(folder, name), name)
  const main = isFolder ? config.main : place
  if (typeof main !== 'string') throw new Mistake(`${name} has no main, the path of the module.`)
  const bindings = config.durable_objects?.bindings ?? []
  return {
    folder,
    module: resolve(folder, main),
    variables: config.vars ?? {},
    objects: Object.fromEntries(bindings.map((it) => [it.name, it.class_name])),
    elsewhere: ELSEWHERE.filter((it) => config[it] !== undefined),
  }
}

async function parsed(path: string, name: string): Promise<WranglerFile> {
  const text = readFileSync(path, 'utf8')
  try {
    if (name.endsWith('.toml')) return (await import('@decimalturn/toml-patch')).parse(text)
    const { default: jsonc } = await import('jsonc-parser')
    return jsonc.parse(text, [], { allowTrailingComma: true }) ?? {}
  } catch {
    throw new Mistake(`${path} is not valid in the format that its name implies.`)
  }
}
