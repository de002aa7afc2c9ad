import { ConfigError } from '../../gateway/index.ts'
import { assertPublicHosts, PrivateHostError } from '../hosts/public-hosts.ts'
import { dnsOverHttps, onceAMinute } from '../hosts/resolve.ts'
import {
  type CredentialKeys,
  type CredentialSecrets,
  credentialKeys,
} from '../keys/credential-keys.ts'
import type { Credential } from './entries.ts'

/** The purpose that a credential is sealed for. It cannot be opened for another database. */
export const boundOf = ({
  endpoint,
  database,
  group,
}: Pick<Credential, 'endpoint' | 'database' | 'group'>): string =>
  group === undefined ? `${endpoint}/${database}` : `${endpoint}/${database}@${group}`

/** Resolves names for all databases in an isolate. */
export const resolve = onceAMinute(dnsOverHttps((...args) => fetch(...args)))

/** The most recently derived keys. Their secrets stay the same as long as the deployment does. */
let derived: { readonly secrets: CredentialSecrets; readonly keys: CredentialKeys } | undefined

/** A deployment's keys. Throws {@link TypeError} if its secret is missing or easy to guess. */
export function keysOf(secrets: CredentialSecrets): CredentialKeys {
  if (derived?.secrets !== secrets) derived = { secrets, keys: credentialKeys(secrets) }
  return derived.keys
}

/**
 * Decrypts a database's URL, and checks once more that its host is not private, because the name may now
 * resolve to another address. Throws {@link ConfigError}.
 */
export async function openCredential(
  { sealed, ...credential }: Credential,
  secrets: CredentialSecrets,
  allowed: readonly string[],
): Promise<string> {
  try {
    const url = await keysOf(secrets).open(sealed, boundOf(credential))
    if (url === undefined) throw new ConfigError(UNREADABLE, { reason: 'credential_unreadable' })
    await assertPublicHosts(url, { allowed, resolve })
    return url
  } catch (error) {
    // Its message contains the host, which a model does not need to know.
    if (error instanceof PrivateHostError)
      throw new ConfigError(PRIVATE, { reason: 'host_private' })
    throw error instanceof TypeError
      ? new ConfigError(error.message, { reason: 'sealing_secret_unusable' })
      : error
  }
}

const PRIVATE =
  'Its host is not public, and not among the allowed private hosts. Test the endpoint for details.'
const UNREADABLE =
  'Its credential cannot be decrypted: it was stored under another TIDEGATE_SECRET. Set that one as TIDEGATE_SECRET_PREVIOUS, or set the credential again.'
