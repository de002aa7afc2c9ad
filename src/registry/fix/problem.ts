import {
  type Because,
  connectionStrings,
  type DatabaseError,
  type EngineFixes,
  type FixPlace,
  type KnownScheme,
  knownScheme,
  type Service,
} from '../../database/index.ts'
import { isLoopback } from '../../ground/index.ts'

/** A problem with a database. */
export interface FixProblem extends Because {
  /**
   * The kind of a {@link DatabaseError}; `private_host` or `unresolved_host` if its host is not allowed;
   * `internal` if the fault is ours.
   */
  readonly kind: DatabaseError['kind'] | 'private_host' | 'unresolved_host' | 'internal'
  readonly message: string
}

/** The database with the problem. Contains no secret. */
export interface ProblemSubject extends FixPlace {
  /** The endpoint and its database. */
  readonly endpoint?: string | undefined
  readonly database?: string | undefined
  /** The name of its binding, or of the secret that holds its URL. */
  readonly binding?: string | undefined
  /** The addresses of its host, if known. */
  readonly addresses?: readonly string[] | undefined
  /** The user and database in its URL, if the reader has just sent it. */
  readonly login?: { readonly user?: string | undefined; readonly database?: string | undefined }
}

/** The same, with facts from its engine. */
export interface KnownFacts extends ProblemSubject {
  readonly engine: Pick<KnownScheme, 'title' | 'port' | 'protocol'> & EngineFixes
  /** The protocol for a Hyperdrive in front of it. Undefined on a machine, which has no Hyperdrive. */
  readonly hyperdrive: KnownScheme['protocol'] | undefined
  /** The service that runs its server, if its host reveals it, and all services. */
  readonly service: Service | undefined
  readonly services: readonly Service[]
}

/** Adds the facts from the database's engine. */
export async function knownOf(about: ProblemSubject): Promise<KnownFacts> {
  // The engine behind Hyperdrive is not known here.
  const found = about.scheme === 'hyperdrive' ? undefined : knownScheme(about.scheme)
  const { title, port, protocol, fixes } = found ?? UNKNOWN
  const strings = await connectionStrings()
  const services = await strings.services()
  return {
    ...about,
    services,
    service: strings.serviceOf(about.host ?? '', services),
    engine: { ...(await fixes()), title, port, protocol },
    hyperdrive: isOnMachine(about) ? undefined : protocol,
  }
}

const UNKNOWN: KnownScheme = { title: 'The database', port: 443, fixes: async () => ({}) }

/** True on a machine, which trusts and reaches whatever it is configured to, and has no Hyperdrive. */
export const isOnMachine = ({ platform = 'worker' }: Pick<ProblemSubject, 'platform'>): boolean =>
  platform !== 'worker'

/** A host that is safe in a command. HOST if a shell or the command would interpret it. */
export const shellHost = ({ host = '' }: ProblemSubject): string =>
  /^\w[\w.-]{0,252}$/.test(host)
    ? host
    : /^\[[\da-f:.]+\]$/i.test(host)
      ? host.slice(1, -1)
      : 'HOST'

/** The words from {@link shellHost} that a person must replace. */
export const hostToReplace = (about: ProblemSubject): { readonly replace?: readonly string[] } =>
  shellHost(about) === 'HOST' ? { replace: ['HOST'] } : {}

/** A database's server, safe in a command. */
export const serverOf = (about: KnownFacts) => ({
  host: shellHost(about),
  port: about.port ?? about.engine.port,
})

/** A word for a command: the known one, or a placeholder for a person to replace. */
export const shellWord = (word: string | undefined, instead: string): string =>
  word !== undefined && /^\w[\w.-]{0,99}$/.test(word) ? word : instead

/** True if a host is the local machine. */
export const isThisMachine = ({ host = '' }: ProblemSubject): boolean => isLoopback(host)

/** A name for resources made for a database: the name of its endpoint. */
export const nameOf = ({ endpoint = 'shop' }: ProblemSubject): string =>
  /^[a-z][a-z\d_-]{0,30}$/.test(endpoint) ? endpoint : 'shop'

/** The name of a binding for the database. */
export const bindingOf = (about: ProblemSubject): string =>
  nameOf(about).toUpperCase().replaceAll('-', '_')
