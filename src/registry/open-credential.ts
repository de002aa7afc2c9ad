import { ConfigError } from '../gateway/index.ts'
import { type CredentialKeys, type CredentialSecrets, credentialKeys } from './credential-keys.ts'
import type { Credential } from './entries.ts'
import { assertPublicHosts, PrivateHostError } from './public-hosts.ts'
import { dnsOverHttps, onceAMinute } from './resolve.ts'

/** What a credential is sealed for: it opens for no other database. */
export const boundOf = ({
  endpoint,
  database,
  group,
}: Pick<Credential, 'endpoint' | 'database' | 'group'>): string =>
  group === undefined ? `${endpoint}/${database}` : `${endpoint}/${database}@${group}`

/** Finds the addresses of a name, for all databases of an isolate. */
export const resolve = onceAMinute(dnsOverHttps((...args) => fetch(...args)))

/** The keys that were derived last: their secrets stay the same as long as the deployment does. */
let derived: { readonly secrets: CredentialSecrets; readonly keys: CredentialKeys } | undefined

/** The keys of a deployment. Throws {@link TypeError} if it has no secret, or one that is easy to guess. */
export function keysOf(secrets: CredentialSecrets): CredentialKeys {
  if (derived?.secrets !== secrets) derived = { secrets, keys: credentialKeys(secrets) }
  return derived.keys
}

/**
 * Decrypts the URL of a database, and checks once more that its host is not private: what its name
 * resolves to may have changed. Throws {@link ConfigError}.
 */
export async function openCredential(
  { sealed, ...credential }: Credential,
  secrets: CredentialSecrets,
  allowed: readonly string[],
): Promise<string> {
  try {
    const url = await keysOf(secrets).open(sealed, boundOf(credential))
    if (url === undefined) throw new ConfigError(UNREADABLE)
    await assertPublicHosts(url, { allowed, resolve })
    return url
  } catch (error) {
    // Its message names the host, which a model need not know.
    if (error instanceof PrivateHostError) throw new ConfigError(PRIVATE)
    throw error instanceof TypeError ? new ConfigError(error.message) : error
  }
}

const PRIVATE =
  'Its host is not public, and not among the allowed private hosts. Test the endpoint to read more.'
const UNREADABLE =
  'Its credential cannot be decrypted: it was stored under another TIDEGATE_SECRET. Set that one as TIDEGATE_SECRET_PREVIOUS, or set the credential again.'
