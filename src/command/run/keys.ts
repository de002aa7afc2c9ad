// The keys for an HTTP gateway: the configured ones, or new ones.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { keyProblem } from '../../registry/index.ts'
import { varsIn } from '../files/vars.ts'
import { codeOf, Mistake } from '../terminal/failure.ts'

/** The facts about the keys that a person must know. */
export interface GatewayKeys {
  /** TIDEGATE_KEY, if it is new. */
  readonly key?: string
  /** The path of the file with TIDEGATE_KEY. */
  readonly keptIn?: string
  /** A warning, if TIDEGATE_KEY is easy to guess. */
  readonly problem: string | undefined
}

type KeyVariables = Readonly<Record<string, string>>

/**
 * Adds TIDEGATE_KEY, which opens the gateway, and TIDEGATE_SECRET, which encrypts its stored data. Generated
 * keys are stored beside the state, so that encrypted data can be read again.
 */
export function withKeys(
  variables: KeyVariables,
  state: string | undefined,
): { readonly variables: KeyVariables; readonly keys: GatewayKeys } {
  const keptIn = state && `${state}.keys`
  const kept = keptIn ? readKeys(keptIn) : {}
  const fresh = {
    TIDEGATE_KEY: variables.TIDEGATE_KEY || kept.TIDEGATE_KEY || `tg_${random()}`,
    TIDEGATE_SECRET: variables.TIDEGATE_SECRET || kept.TIDEGATE_SECRET || random(),
  }
  const made = Object.entries(fresh).filter(([name]) => !variables[name] && !kept[name])
  if (keptIn && made.length > 0) write(keptIn, { ...kept, ...Object.fromEntries(made) })
  const { TIDEGATE_KEY: key } = fresh
  return {
    variables: { ...variables, ...fresh },
    keys: {
      ...(made.some(([, it]) => it === key) && { key }),
      ...(keptIn && !variables.TIDEGATE_KEY && { keptIn }),
      problem: keyProblem(key),
    },
  }
}

const random = () => randomBytes(32).toString('base64url')

/** Writes keys for this user only, and flushes them to disk before anything is encrypted with them. */
function write(path: string, keys: NodeJS.Dict<string>): void {
  const lines = Object.entries(keys).map(([name, value]) => `${name}=${value}\n`)
  try {
    writeFileSync(path, lines.join(''), { mode: 0o600, flush: true })
  } catch (error) {
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): Mistake {
  const code = codeOf(error)
  return new Mistake(
    code === 'ENOENT'
      ? `The folder for ${path} does not exist. Create it, or give --state another path.`
      : `${path}, where the keys are stored, cannot be used (${code}). Give --state another path.`,
  )
}

function readKeys(path: string): NodeJS.Dict<string> {
  try {
    return varsIn(path)
  } catch (error) {
    throw error instanceof Mistake ? error : unusable(path, error)
  }
}
