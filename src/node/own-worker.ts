import type { StdioOptions } from '../mcp/index.ts'
import type { ObjectClass } from './objects/namespace.ts'
import { openWorker } from './worker.ts'

/** A module as `worker` of `tidegate/mcp` has it written: its classes of objects, and how it is served by a pipe. */
export interface WorkerModule {
  readonly [name: string]: unknown
  readonly default?: { stdio?(env: object): StdioOptions } | undefined
}

/** What wrangler's configuration says of such a module. */
export interface OwnWorkerOptions {
  /** The classes of objects, by their bindings. */
  readonly objects: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** The path of the file that keeps what its objects store; without it, memory does. */
  readonly state?: string | undefined
}

/** Why a module cannot be served, in a sentence. */
export class ModuleFault extends Error {}

/** Opens a Worker of one's own on this machine, to be served by a pipe. Throws {@link ModuleFault}. */
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
    throw new ModuleFault('Its default export is not what worker() of tidegate/mcp returns.')
  }
  const { env, close } = openWorker(Object.fromEntries(kinds), { variables, state })
  return { stdio: async () => worker.stdio!(env), close }
}
