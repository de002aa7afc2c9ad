import { homedir } from 'node:os'
import { DatabaseError, type Machine } from '../database/index.ts'
import { ConfigError } from '../gateway/index.ts'
import { inTime } from '../ground/index.ts'
import { inLog } from './logged.ts'
import { machineWith, type OwnMachine } from './machine.ts'
import { checkDisk } from './objects/disk.ts'
import { type ObjectKind, Objects } from './objects/namespace.ts'
import { openSound } from './objects/sound.ts'
import { rateLimits } from './rate.ts'
import { type Tunnel, tunnelOf } from './ssh/tunnel.ts'
import { backgroundEnded } from './workers.ts'

/** Options for a Worker on this machine. */
export interface WorkerOptions {
  readonly variables: Readonly<Record<string, string>>
  /** The path of the file for its objects' data; without it, the data is held in memory. */
  readonly state?: string | undefined
  /** Replacements for parts of this machine, for the drivers. */
  readonly machine?: Partial<Machine> | undefined
}

/** The time that background work, and then connections, have to end after a Worker is closed. */
const CLOSE_MS = 3_000
const CONNECTIONS_MS = 500

/** Builds a Worker's `env`: its variables, and bindings to objects in this process. Throws ConfigError. */
export function openWorker(
  kinds: Readonly<Record<string, ObjectKind>>,
  { variables, state, machine }: WorkerOptions,
) {
  const all = { ...process.env, ...variables }
  const tunnel = tunnelIn(all)
  const own = machineWith(all, { ...tunnel, ...machine })
  const kept = openSound(state)
  const [soon, now] = [new AbortController(), new AbortController()]
  const ENDING = { soon: soon.signal, now: now.signal }
  const CHECK_DISK = state === undefined ? undefined : () => checkDisk(state)
  const FORGETFUL = state === undefined
  const around = { MACHINE: own, LOGGING: inLog, FORGETFUL, CHECK_DISK, ENDING }
  const env = { ...variables, ...rateLimits(), ...around } as Record<string, unknown> & {
    readonly MACHINE: OwnMachine
  }
  const objects = new Objects(kinds, kept, env)
  for (const kind of Object.keys(kinds)) env[kind] = objects.namespace(kind)
  objects.start()
  return {
    env,
    /** Ends background work, and closes connections and stores. */
    async close(): Promise<void> {
      soon.abort()
      await backgroundEnded(CLOSE_MS)
      now.abort()
      const closing = own.close().then(() => tunnel?.close())
      // Connections that do not close in time are cut.
      await inTime(CONNECTIONS_MS, closing).catch(() => {})
      objects.close()
      kept.close()
    },
  }
}

/** The tunnel to the databases, if an SSH server is set. Throws ConfigError. */
function tunnelIn(variables: Readonly<Record<string, string | undefined>>): Tunnel | undefined {
  try {
    return tunnelOf(variables, homedir())
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message, error) : error
  }
}
