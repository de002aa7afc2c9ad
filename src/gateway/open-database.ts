import {
  catalogKeeper,
  type Database,
  DatabaseError,
  type Identity,
  type Io,
  type KeepCatalog,
  type Located,
  locate,
  locateLater,
} from '../database/index.ts'
import type { Caller } from '../mcp/index.ts'
import { ConfigError, credentialId, type Endpoint, resolveUrl } from './endpoint.ts'
import { describedDatabase } from './glossary.ts'
import { identityOf, identityParts, notApplied } from './identity.ts'
import { type Restricted, visibleDatabase } from './visible-database.ts'

type DatabaseConfig = Endpoint['databases'][string]

/** The URL of a database that is stored encrypted. */
export interface StoredUrl {
  /** How it begins, without the colon. */
  readonly scheme: string
  /** What of the machine it may use. */
  readonly machine?: Io['machine']
  /** Decrypts it. Throws {@link ConfigError} if it cannot be, or may not be used. */
  read(): Promise<string>
}

/** What a gateway needs to open a database. */
export interface CredentialIo extends Io {
  /** What of the machine a URL may use that stands in the endpoint itself, if that is less. */
  readonly lent?: Io['machine']
  /** A credential of the registry, by its id. */
  readonly credential?: (id: string) => StoredUrl | undefined
}

/** A database of an endpoint. `problem` says why it cannot be opened, if that is already known. */
export interface EndpointDatabase extends UnrestrictedDatabase, Restricted<UnrestrictedDatabase> {}

interface UnrestrictedDatabase extends Pick<Located, 'title' | 'tellsTables'> {
  /** What of an estimate its plans tell. */
  readonly estimates?: Located['estimates'] | undefined
  readonly problem?: string | undefined
  /** Opens it for a caller, or for nobody, as whom its queries run if its configuration says so. */
  open(caller?: Caller): Promise<Database>
}

/** Finds a database by its configuration, without connecting to it. Throws {@link ConfigError}. */
export function located(config: DatabaseConfig, io: CredentialIo): EndpointDatabase {
  try {
    return withIdentity(locatedUrl(config.url, io), config)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

/** The same database, whose queries run as the role, and with the claims, that its configuration says. */
function withIdentity(found: Located, config: DatabaseConfig): EndpointDatabase {
  const parts = identityParts(config)
  if (parts.length === 0) return found
  assertApplied(parts, found)
  return {
    ...found,
    async open(caller) {
      const database = await found.open()
      assertApplied(parts, { ...database.dialect, ...database })
      const identity = identityOf(config, caller)
      return {
        ...database,
        query: (statement, limits) => database.query(statement, { ...limits, identity }),
      }
    },
  }
}

/** Makes sure that a database applies these parts of an identity. Throws {@link DatabaseError}. */
function assertApplied(
  parts: readonly (keyof Identity)[],
  { applies = [], title }: Pick<Database, 'applies'> & { readonly title: string },
): void {
  const missing = parts.find((it) => !applies.includes(it))
  if (missing) throw new DatabaseError('config', notApplied(missing, title))
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
    Object.entries(databases).map(([name, config]) => [
      name,
      withKeptCatalog(
        describedDatabase(
          visibleDatabase(locatedOrProblem(config, io), config.only),
          config.glossary,
        ),
        config,
      ),
    ]),
  )
  const problems = [...all.values()].map(({ problem }) => problem)
  if (problems[0] !== undefined && !problems.includes(undefined)) {
    throw new ConfigError(problems[0])
  }
  return all
}

/** For how many seconds the catalog of a database is kept, if its configuration does not say. */
const CATALOG_SECONDS = 60

/** The same database, which keeps for a short time what its catalog says about a table. */
function withKeptCatalog(found: EndpointDatabase, config: DatabaseConfig): EndpointDatabase {
  const { catalogSeconds = CATALOG_SECONDS } = config
  if (catalogSeconds === 0) return found
  let keep: KeepCatalog | undefined
  return {
    ...found,
    async open(caller) {
      const database = await found.open(caller)
      keep ??= await catalogKeeper(catalogSeconds)
      return keep(database, identityOf(config, caller))
    },
  }
}

/** The URL of a database, with its secret. Throws {@link ConfigError}. */
export const secretUrl = async (url: string, io: CredentialIo): Promise<string> => {
  const id = credentialId(url)
  return id === undefined
    ? resolveUrl(url, io.bindings)
    : ((await io.credential?.(id)?.read()) ?? '')
}

function locatedUrl(url: string, io: CredentialIo): Located {
  const id = credentialId(url)
  if (id === undefined) {
    const text = resolveUrl(url, io.bindings)
    return locate(text, text === url && io.lent ? { ...io, machine: io.lent } : io)
  }
  const stored = io.credential?.(id)
  if (!stored) throw new ConfigError('Its credential was not found. Set the credential again.')
  return locateLater(stored.scheme, () => stored.read(), { ...io, machine: stored.machine })
}

function locatedOrProblem(config: DatabaseConfig, io: CredentialIo): UnrestrictedDatabase {
  try {
    const it = located(config, io)
    const open = (caller?: Caller) =>
      it.open(caller).catch((error: unknown) => {
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
