// The keys of a gateway over HTTP: those that are set, else new ones.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Fault } from './fault.mjs'

/** Fewer characters than this may be guessed. */
const SHORT = 20

/**
 * The variables with TIDEGATE_KEY, which opens the gateway, and TIDEGATE_SECRET, which encrypts what it
 * stores. Those that are made are kept beside the state: what was encrypted has to be read again.
 *
 * @returns `key` is the key, if nobody knows it yet; `keptIn` is where the keys are kept; `isShort` says that
 * somebody may guess it
 */
export function withKeys(variables, state) {
  const keptIn = state && `${state}.keys`
  const kept = keptIn ? readKeys(keptIn) : {}
  const fresh = {
    TIDEGATE_KEY: variables.TIDEGATE_KEY || kept.TIDEGATE_KEY || `tg_${random()}`,
    TIDEGATE_SECRET: variables.TIDEGATE_SECRET || kept.TIDEGATE_SECRET || random(),
  }
  const made = Object.keys(fresh).filter((name) => !variables[name] && !kept[name])
  if (keptIn && made.length > 0) {
    const lines = Object.entries({ ...kept, ...pick(fresh, made) })
    const text = lines.map(([name, value]) => `${name}=${value}\n`).join('')
    write(keptIn, text)
  }
  const isKept = keptIn && !variables.TIDEGATE_KEY ? { keptIn } : {}
  const isMade = made.includes('TIDEGATE_KEY') ? { key: fresh.TIDEGATE_KEY } : {}
  const isShort = fresh.TIDEGATE_KEY.length < SHORT
  return { variables: { ...variables, ...fresh }, keys: { ...isMade, ...isKept, isShort } }
}

const random = () => randomBytes(32).toString('base64url')

const pick = (values, names) => Object.fromEntries(names.map((name) => [name, values[name]]))

/** Only this user can read it. */
function write(path, text) {
  try {
    writeFileSync(path, text, { mode: 0o600 })
  } catch (error) {
    throw unusable(path, error)
  }
}

const unusable = (path, { code }) =>
  new Fault(
    code === 'ENOENT'
      ? `The folder for ${path} does not exist. Make it, or give --state another path.`
      : `${path}, where the keys are kept, cannot be used (${code}). Give --state another path.`,
  )

function readKeys(path) {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw unusable(path, error)
  }
}
