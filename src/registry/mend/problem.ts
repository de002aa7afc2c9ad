import type { DatabaseError, Platform, SeenCertificate } from '../../database/index.ts'

/** What went wrong with a database. */
export interface Problem {
  /**
   * As a {@link DatabaseError} has it; `private_host` and `unresolved_host`, if its host may not be reached;
   * `internal`, if the fault is ours.
   */
  readonly kind: DatabaseError['kind'] | 'private_host' | 'unresolved_host' | 'internal'
  /** SQLSTATE or the vendor's code. */
  readonly code?: string | undefined
  readonly message: string
}

/** The database that it went wrong with. Holds no secret. */
export interface About {
  /** Where this runs: in a Worker if it is left out. */
  readonly platform?: Platform | undefined
  /** The endpoint, and its database. */
  readonly endpoint?: string | undefined
  readonly database?: string | undefined
  /** How its URL begins: `postgres`, `hyperdrive`. */
  readonly scheme: string
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** The name of its binding or of the secret with its URL. */
  readonly binding?: string | undefined
  /** What its host resolves to, if that is known. */
  readonly addresses?: readonly string[] | undefined
  /** What was seen of the certificate of its server, if that is what went wrong, and in sentences. */
  readonly certificate?: (SeenCertificate & { readonly sentence: string }) | undefined
  /** As whom its URL logs in and where, if the reader has just sent it. */
  readonly login?: { readonly user?: string | undefined; readonly database?: string | undefined }
}

/** What is known of an engine by the scheme of a URL. */
export interface EngineFacts {
  readonly title: string
  readonly port: number
  /** What it is called by wrangler, if Hyperdrive can be put in front of it. */
  readonly hyperdrive?: 'postgresql' | 'mysql' | undefined
  /** A command that tries the login from elsewhere. */
  readonly tryLogin?: (host: string, port: number) => string
}

const postgres: EngineFacts = {
  title: 'PostgreSQL',
  port: 5432,
  hyperdrive: 'postgresql',
  tryLogin: (host, port) => `psql "host=${host} port=${port} user=USER dbname=DATABASE"`,
}
const mysql: EngineFacts = {
  title: 'MySQL',
  port: 3306,
  hyperdrive: 'mysql',
  tryLogin: (host, port) => `mysql -h ${host} -P ${port} -u USER -p DATABASE`,
}
const clickhouse = (scheme: string, port: number): EngineFacts => ({
  title: 'ClickHouse',
  port,
  tryLogin: (host) => `curl -u USER ${scheme}://${host}:${port}/ --data "select 1"`,
})
const sqlite = (port: number): EngineFacts => ({ title: 'SQLite', port })

const ENGINES: Readonly<Record<string, EngineFacts>> = {
  postgres,
  postgresql: postgres,
  neon: { ...postgres, port: 443 },
  hyperdrive: { title: 'The database', port: 5432 },
  supabase: { ...postgres, port: 443, hyperdrive: undefined },
  mysql,
  mariadb: { ...mysql, title: 'MariaDB' },
  planetscale: { ...mysql, port: 443, hyperdrive: undefined },
  clickhouse: clickhouse('http', 8123),
  clickhouses: clickhouse('https', 8443),
  libsql: sqlite(443),
  turso: sqlite(443),
  d1: sqlite(443),
  rqlite: sqlite(4001),
  rqlites: sqlite(4001),
  demo: sqlite(443),
}

/** Whether this runs on a machine, which trusts and reaches what it is told to, and has no Hyperdrive. */
export const isOnMachine = ({ platform = 'worker' }: Pick<About, 'platform'>): boolean =>
  platform !== 'worker'

/** What is known of the engine of a database. */
export function engineOf({ scheme, platform }: About): EngineFacts {
  const facts = Object.hasOwn(ENGINES, scheme)
    ? ENGINES[scheme]!
    : { title: 'The database', port: 443 }
  return isOnMachine({ platform }) ? { ...facts, hyperdrive: undefined } : facts
}

/** A host as a command may have it; HOST, if a shell or the command would read more in it. */
export const shellHost = ({ host = '' }: About): string =>
  /^\w[\w.-]{0,252}$/.test(host)
    ? host
    : /^\[[\da-f:.]+\]$/i.test(host)
      ? host.slice(1, -1)
      : 'HOST'

/** A word for a command: the one that is known, or the one that a person replaces. */
export const shellWord = (word: string | undefined, instead: string): string =>
  word !== undefined && /^\w[\w.-]{0,99}$/.test(word) ? word : instead

/** Whether a host is the machine that a program runs on. */
export const isThisMachine = ({ host = '' }: About): boolean =>
  /^(?:localhost|127\..*|\[::1\]|.*\.localhost)$/.test(host)

/** A name for what is made for a database: that of its endpoint. */
export const nameOf = ({ endpoint = 'shop' }: About): string =>
  /^[a-z][a-z\d_-]{0,30}$/.test(endpoint) ? endpoint : 'shop'

/** The name of a binding for it. */
export const bindingOf = (about: About): string => nameOf(about).toUpperCase().replaceAll('-', '_')
