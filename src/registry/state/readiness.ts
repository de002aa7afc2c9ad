import { inTime } from '../../ground/index.ts'
import type { CredentialSecrets } from '../keys/credential-keys.ts'
import { boundOf, keysOf } from './open-credential.ts'
import type { AskRegistry } from './registry-state.ts'
import { StateFault } from './state-version.ts'

/** Time limit for a response from the registry. A thorough check reads all of it. */
const MAX_MS = 3_000
const MAX_THOROUGH_MS = 20_000

/**
 * Finds problems that keep a deployment's registry from serving, as messages for the operator: it cannot be read,
 * newer code has written it, or neither secret can open its credentials.
 */
export async function registryProblems(
  ask: AskRegistry,
  secrets: CredentialSecrets,
  isThorough = false,
): Promise<readonly string[]> {
  try {
    const found = await inTime(isThorough ? MAX_THOROUGH_MS : MAX_MS, ask('health', { isThorough }))
    if (found.damaged.length > 0) return [damagedIn(found.damaged)]
    for (const credential of found.sealed) {
      const url = await keysOf(secrets).open(credential.sealed, boundOf(credential))
      if (url === undefined) return [OTHER_SECRET]
    }
    return []
  } catch (error) {
    // A type error means that the secret is missing or easy to guess. Both messages are for the operator.
    if (error instanceof StateFault || error instanceof TypeError) return [error.message]
    console.error(error)
    return [UNREADABLE]
  }
}

const damagedIn = (tables: readonly string[]) =>
  `The registry is damaged (${tables.join(', ')}). Put back a copy of the state, or start with an empty one and restore an export into it.`
const UNREADABLE =
  'The registry cannot be read. If this persists, the log says why: put back a copy of the state, or restore an export.'
const OTHER_SECRET =
  'Credentials cannot be decrypted: they were stored under another TIDEGATE_SECRET. Set that one as TIDEGATE_SECRET_PREVIOUS, or set the credentials again.'
