import { DatabaseError, type DatabaseSource, locate, locateLater } from '../../database/index.ts'
import { ConfigError, type Endpoint, resolveUrl } from '../config/endpoint.ts'
import { credentialId, secretIn } from '../config/endpoint-schema.ts'
import type { CredentialIo, EndpointDatabase } from './endpoint-database.ts'
import { applyIdentity } from './identity.ts'

/** Finds a database by its configuration, without connecting to it. Throws {@link ConfigError}. */
export function located(config: Endpoint['databases'][string], io: CredentialIo): EndpointDatabase {
  const found = applyIdentity(locatedOrProblem(config.url, io), { config })
  if (found.problem) throw found.problem
  return found
}

/** Finds a database by its URL alone. If there is a problem, the result contains the reason, and opening it fails. */
export function locatedOrProblem(url: string, io: CredentialIo): EndpointDatabase {
  try {
    return locatedUrl(url, io)
  } catch (error) {
    const problem = error instanceof DatabaseError ? new ConfigError(error.message, error) : error
    if (!(problem instanceof ConfigError)) throw problem
    return { title: 'not available', problem, open: () => Promise.reject(problem) }
  }
}

/** The URL of a database, with its secret. Throws {@link ConfigError}. */
export const secretUrl = async (url: string, io: CredentialIo): Promise<string> => {
  const id = credentialId(url)
  return id === undefined ? textOf(url, io) : ((await io.credential?.(id)?.read()) ?? '')
}

function locatedUrl(url: string, io: CredentialIo): DatabaseSource {
  const id = credentialId(url)
  const own = { ...io, ...wayTo(url, io) }
  if (id === undefined) return locate(textOf(url, io), own)
  const stored = io.credential?.(id)
  if (!stored) throw new ConfigError('Its credential was not found. Set the credential again.')
  return locateLater(stored.scheme, () => stored.read(), own)
}

/**
 * The contents of a URL that is not a credential. Someone who enters a name in the Console does not learn which
 * variables exist, because an unset variable gives the same error as a variable with other contents.
 */
function textOf(url: string, io: CredentialIo): string {
  const secret = secretIn(url)
  const may = secret === undefined ? undefined : io.mayName?.(url)
  if (may === undefined) return resolveUrl(url, io.bindings)
  try {
    const text = resolveUrl(url, may ? io.bindings : {})
    locate(text, io)
    return text
  } catch {
    throw new ConfigError(
      `The secret ${secret} is not set, does not hold a database URL, or is not allowed here. In a Worker: npx wrangler secret put ${secret}. On Node: the environment, and the variable DATABASE_SECRETS, which lists the allowed names.`,
      { reason: 'secret_missing' },
    )
  }
}

/** The part of a machine through which a URL is reached: all of it, unless someone else entered the URL. */
export function wayTo(url: string, { credential, fetch, lent, machine }: CredentialIo) {
  const id = credentialId(url)
  const used = id === undefined ? (lent?.(url) ?? machine) : credential?.(id)?.machine
  return { machine: used, fetch: used?.isGuest && used.fetch ? used.fetch : fetch }
}
