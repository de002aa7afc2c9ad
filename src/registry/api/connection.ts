import { DatabaseError, hasNoSecret, hosts, locate } from '../../database/index.ts'
import { randomText } from '../../ground/index.ts'
import {
  type CredentialKeys,
  type CredentialSecrets,
  secretProblem,
} from '../keys/credential-keys.ts'
import type { Credential } from '../state/entries.ts'
import { boundOf, keysOf } from '../state/open-credential.ts'
import { ApiFault, wrongField } from './fault.ts'
import { hostProblem } from './fix.ts'
import { privateHostsOf } from './served.ts'
import type { ApiContext } from './surroundings.ts'

/** Maximum length of a connection string. */
export const MAX_URL_CHARS = 4_000

/** The database that a connection string is for, and the group that owns it, if any. */
type Purpose = Pick<Credential, 'endpoint' | 'database' | 'group'>

/**
 * The URL to store for a database. A connection string is sealed, and the URL refers to it. Collects the credentials
 * that URLs refer to. Throws {@link ApiFault}, also for a stored credential that was made for something else.
 *
 * @param was the stored credentials
 */
export async function storedUrl(
  url: string,
  purpose: Purpose,
  field: string,
  surroundings: ApiContext,
  was: Readonly<Record<string, Credential>> | undefined,
  credentials: [id: string, Credential][],
): Promise<string> {
  assertNotOwnSecret(url, field)
  const isReference = /^(?:secret|credential):/.test(url)
  // Other URLs never hold a secret.
  if (!isReference && url.includes(':') && !hasNoSecret(url)) {
    const made = await seal(url, purpose, field, surroundings)
    credentials.push([made.id, made])
    return `credential:${made.id}`
  }
  const id = referredTo(url)
  if (id === undefined) return url
  const kept = was && Object.hasOwn(was, id) ? was[id] : undefined
  if (kept?.database !== purpose.database || kept.endpoint !== purpose.endpoint) {
    throw wrongField(
      field,
      'refers to a credential that belongs to something else. Send the connection string.',
    )
  }
  credentials.push([id, kept])
  return url
}

/** The id of the credential that a URL refers to. */
export const referredTo = (url: string): string | undefined =>
  url.startsWith('credential:') ? url.slice('credential:'.length) : undefined

/** Throws {@link ApiFault} for a reference to one of Tidegate's own secrets, which are not URLs. */
export function assertNotOwnSecret(url: string, field: string): void {
  if (!/^secret:TIDEGATE_/i.test(url)) return
  throw wrongField(field, 'names one of Tidegate’s secrets. Name the secret that holds the URL.')
}

/**
 * Seals a connection string so that it can be stored. Throws {@link ApiFault} if no driver can open it or
 * if its host is private.
 */
async function seal(
  url: string,
  purpose: Purpose,
  field: string,
  surroundings: ApiContext,
): Promise<Credential> {
  const { protocol, names } = await readUrl(url, field)
  const keys = sealingKeys(surroundings.secrets)
  const problem = await hostProblem(url, await privateHostsOf(surroundings))
  if (problem) throw new ApiFault(422, problem.message, { field })
  return {
    ...purpose,
    id: randomText(20),
    scheme: protocol.slice(0, -1),
    host: names.join(','),
    sealed: await keys.seal(url, boundOf(purpose)),
    setAt: Date.now(),
  }
}

async function readUrl(url: string, field: string) {
  if (url.length > MAX_URL_CHARS) {
    throw wrongField(field, `must have at most ${MAX_URL_CHARS} characters.`)
  }
  try {
    locate(url, { fetch, bindings: {} })
    const { databaseUrl, hostsOf } = await hosts()
    const read = databaseUrl(url)
    return { protocol: read.protocol, names: hostsOf(read).map(({ name }) => name) }
  } catch (error) {
    if (error instanceof DatabaseError) throw new ApiFault(422, error.message, { field })
    throw error
  }
}

/** The keys that seal credentials. Throws {@link ApiFault} if the secret is missing or weak. */
export function sealingKeys(secrets: CredentialSecrets): CredentialKeys {
  const problem = secretProblem(secrets.TIDEGATE_SECRET)
  if (problem) {
    throw new ApiFault(
      503,
      `${problem}\nThen set it. In a Worker: npx wrangler secret put TIDEGATE_SECRET`,
    )
  }
  return keysOf(secrets)
}
