import { homedir } from 'node:os'
import { DatabaseError, type Machine } from '../database/index.ts'
import { ConfigError } from '../gateway/index.ts'
import { machineWith, type OwnMachine } from './machine.ts'
import { type Kind, Objects } from './objects/namespace.ts'
import { openState } from './objects/state-file.ts'
import { rateLimits } from './rate.ts'
import { type Tunnelled, tunnelled } from './ssh/tunnelled.ts'
import { backgroundEnded } from './workers.ts'

/** What a Worker on this machine is opened with. */
export interface WorkerOptions {
  /** What it has as variables and secrets. */
  readonly variables: Readonly<Record<string, string>>
  /** The path of the file that keeps what its objects store; without it, memory does. */
  readonly state?: string | undefined
  /** Parts of this machine that the drivers get in place of its own. */
  readonly machine?: Partial<Machine> | undefined
}

/** How long work in the background may go on once a Worker is closed. */
const CLOSE_MS = 2_000

/** Opens what a Worker gets as `env`: its variables, and bindings to objects in this process. Throws ConfigError. */
export function openWorker(
  kinds: Readonly<Record<string, Kind>>,
  { variables, state, machine }: WorkerOptions,
) {
  const all = { ...process.env, ...variables }
  const tunnel = tunnelOf(all)
  const own = machineWith(all, { ...tunnel, ...machine })
  const kept = openState(state)
  const env = { ...variables, ...rateLimits(), MACHINE: own } as Record<string, unknown> & {
    readonly MACHINE: OwnMachine
  }
  const objects = new Objects(kinds, kept, env)
  for (const kind of Object.keys(kinds)) env[kind] = objects.namespace(kind)
  objects.start()
  return {
    env,
    /** Ends what works in the background, closes connections, and what is kept. */
    async close(): Promise<void> {
      await backgroundEnded(CLOSE_MS)
      await own.close()
      await tunnel?.close()
      objects.close()
      kept.close()
    },
  }
}

/** The way to the databases, where it leads through an SSH server. Throws ConfigError. */
function tunnelOf(variables: Readonly<Record<string, string | undefined>>): Tunnelled | undefined {
  try {
    return tunnelled(variables, homedir())
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}
