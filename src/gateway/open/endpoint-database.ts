import type { Database, DatabaseSource, Io } from '../../database/index.ts'
import type { Caller, Context } from '../../mcp/index.ts'
import { callOf, type EndpointCall } from '../calls.ts'
import type { ConfigError, Endpoint } from '../config/endpoint.ts'

/** The URL of a database that is stored encrypted. */
export interface StoredUrl {
  /** The URL's scheme, without the colon. */
  readonly scheme: string
  /** The parts of the machine that the URL can use. */
  readonly machine?: Io['machine']
  /** Decrypts the URL. Throws {@link ConfigError} if that fails, or if the URL cannot be used here. */
  read(): Promise<string>
}

/** The environment that a gateway needs to open a database. */
export interface CredentialIo extends Io {
  /** The parts of the machine that a URL from the registry (an endpoint or a group) can use, if not all. */
  readonly lent?: ((url: string) => Io['machine']) | undefined
  /** True if an endpoint or a group in the registry can refer to a secret; undefined for the configuration. */
  readonly mayName?: ((url: string) => boolean | undefined) | undefined
  /** A credential in the registry, by its id. */
  readonly credential?: (id: string) => StoredUrl | undefined
}

/** The caller, call and author that a database is opened for. If left out, it is opened for nobody. */
export interface OpenedFor {
  /** Its queries run as this caller if the configuration says so. */
  readonly caller?: Caller | undefined
  /** The call that its statements are recorded in. */
  readonly call?: EndpointCall | undefined
  /** The author of the statements. If left out, we build them from names and placeholders. */
  readonly author?: 'model' | 'operator' | undefined
  /** True for one of our own checks, which does not count as use of the database. */
  readonly isCheck?: boolean | undefined
}

/** The caller and the call of a request, to open a database for. */
export const askerOf = (context: Context, author?: OpenedFor['author']): OpenedFor => ({
  caller: context.caller,
  call: callOf(context),
  author,
})

/** A database in an endpoint. */
export interface EndpointDatabase extends Pick<DatabaseSource, 'title' | 'tellsTables'> {
  readonly applies?: DatabaseSource['applies'] | undefined
  /** The kinds of estimates in its plans. */
  readonly estimates?: DatabaseSource['estimates'] | undefined
  /** The reason that it cannot be opened, if that is already known. */
  readonly problem?: ConfigError | undefined
  /** False if a model is not allowed to write SQL for it. */
  readonly takesSql?: boolean | undefined
  open(asker?: OpenedFor): Promise<Database>
}

/** The place of a database in the configuration. */
export interface DatabasePlace {
  readonly endpoint: string
  readonly name: string
  readonly config: Endpoint['databases'][string]
  readonly io: CredentialIo
}

/** A layer of the pipeline: wraps a database, if its configuration requires that. */
export type Layer = (found: EndpointDatabase, place: DatabasePlace) => EndpointDatabase

/** Wraps a database each time it is opened. */
export const inFront = (
  found: EndpointDatabase,
  put: (database: Database, asker: OpenedFor) => Database | Promise<Database>,
): EndpointDatabase => ({
  ...found,
  open: async (asker = {}) => put(await found.open(asker), asker),
})
