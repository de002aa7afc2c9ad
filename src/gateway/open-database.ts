import { DatabaseError, type Io, type Located, locate, locateLater } from '../database/index.ts'
import { ConfigError, credentialId, type Endpoint, resolveUrl } from './endpoint.ts'

/** The URL of a database that is stored encrypted. */
export interface StoredUrl {
  /** How it begins, without the colon. */
  readonly scheme: string
  /** Decrypts it. Throws {@link ConfigError} if it cannot be, or may not be used. */
  read(): Promise<string>
}

/** What a gateway needs to open a database. */
export interface CredentialIo extends Io {
  /** A credential of the registry, by its id. */
  readonly credential?: (id: string) => StoredUrl | undefined
}

/** A database of an endpoint. `problem` says why it cannot be opened, if that is already known. */
export interface EndpointDatabase extends Located {
  readonly problem?: string | undefined
}

/** Finds a database by its URL, without connecting to it. Throws {@link ConfigError}. */
export function located(url: string, io: CredentialIo): Located {
  try {
    const id = credentialId(url)
    if (id !== undefined) {
      const stored = io.credential?.(id)
      if (!stored) throw new ConfigError('Its credential was not found. Set the credential again.')
      return locateLater(stored.scheme, () => stored.read(), io)
    }
    return locate(resolveUrl(url, io.bindings), io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

/**
 * Finds the databases of an endpoint. One that cannot be opened tells its callers why, and the others
 * still work. Throws {@link ConfigError} if none can be opened.
 */
export function locateAll(
  { databases }: Endpoint,
  io: CredentialIo,
): Map<string, EndpointDatabase> {
  const all = new Map(
    Object.entries(databases).map(([name, { url }]) => [name, locatedOrProblem(url, io)]),
  )
  const problems = [...all.values()].map(({ problem }) => problem)
  if (problems[0] !== undefined && !problems.includes(undefined)) {
    throw new ConfigError(problems[0])
  }
  return all
}

function locatedOrProblem(url: string, io: CredentialIo): EndpointDatabase {
  try {
    const it = located(url, io)
    const open = () =>
      it.open().catch((error: unknown) => {
        const isConfig = error instanceof DatabaseError && error.kind === 'config'
        throw isConfig || error instanceof ConfigError ? unavailable(error.message) : error
      })
    return { ...it, open }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.message
    return { title: 'not available', problem, open: () => Promise.reject(unavailable(problem)) }
  }
}

const unavailable = (problem: string) =>
  new DatabaseError(
    'config',
    `This database cannot be opened. Its operator has to fix this: ${problem}`,
  )
