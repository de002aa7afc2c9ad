import type { StdioOptions } from '../mcp/index.ts'
import type { ObjectClass } from './objects/open-object.ts'
import { openWorker } from './worker.ts'

/** A module whose default export comes from `worker` in `tidegate/mcp`: object classes, and a function for a pipe. */
export interface WorkerModule {
  readonly [name: string]: unknown
  readonly default?: { stdio?(env: object): StdioOptions } | undefined
}

/** The settings for such a module from wrangler's configuration. */
export interface OwnWorkerOptions {
  readonly objects: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** The path of the file for its objects' data; without it, the data is held in memory. */
  readonly state?: string | undefined
}

/** The reason that a module cannot be served, as a message. */
export class ModuleFault extends Error {}

/** Opens a custom Worker on this machine, to be served over a pipe. Throws {@link ModuleFault}. */
export function openOwnWorker(
  module: WorkerModule,
  { objects, variables, state }: OwnWorkerOptions,
) {
  const kinds = Object.entries(objects).map(([binding, name]) => {
    if (typeof module[name] === 'function') {
      return [binding, { made: module[name] as ObjectClass, hasTables: true }] as const
    }
    throw new ModuleFault(`It does not export the class ${name}, which is bound as ${binding}.`)
  })
  const worker = module.default
  if (typeof worker?.stdio !== 'function') {
    throw new ModuleFault('Its default export is not what worker() from tidegate/mcp returns.')
  }
  const { env, close } = openWorker(Object.fromEntries(kinds), { variables, state })
  return { stdio: async () => worker.stdio!(env), close }
}
