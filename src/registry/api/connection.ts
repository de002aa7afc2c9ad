import { DatabaseError, hasNoSecret, hosts, locate } from '../../database/index.ts'
import { type CredentialKeys, type CredentialSecrets, secretProblem } from '../credential-keys.ts'
import type { Credential } from '../entries.ts'
import { randomText } from '../key.ts'
import { boundOf, keysOf, resolve } from '../open-credential.ts'
import { assertPublicHosts, PrivateHostError } from '../public-hosts.ts'
import { ApiFault, wrongField } from './fault.ts'
import type { Surroundings } from './surroundings.ts'

/** The longest connection string. */
export const MAX_URL_CHARS = 4_000

/** What a connection string is for. */
export interface Purpose {
  readonly endpoint: string
  readonly database: string
  /** The group whose own it is. */
  readonly group?: string | undefined
}

/** Whether a URL has to be sealed: it is neither a reference nor one of those that hold no secret. */
export const isConnectionString = (url: string): boolean =>
  !/^(?:secret|credential):/.test(url) && url.includes(':') && !hasNoSecret(url)

/**
 * Seals a connection string, so that it can be stored. Throws {@link ApiFault} if no driver opens it or
 * if its host is private.
 */
export async function sealConnection(
  url: string,
  purpose: Purpose,
  field: string,
  { secrets }: Surroundings,
  privateHosts: readonly string[],
): Promise<Credential> {
  const { protocol, names } = await readUrl(url, field)
  const keys = sealingKeys(secrets)
  try {
    await assertPublicHosts(url, { allowed: privateHosts, resolve })
  } catch (error) {
    if (error instanceof PrivateHostError) throw new ApiFault(422, error.message, { field })
    throw error
  }
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

/** The keys that seal credentials. Throws {@link ApiFault} if the secret is not set, or is weak. */
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
