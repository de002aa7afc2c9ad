import type { StringForms } from './connection-string/pasted.ts'
import type { Driver } from './database.ts'
import type { Estimate } from './dialect.ts'
import type { EngineFixes } from './fix.ts'
import type { Identity } from './rows.ts'

/** Each engine's URL schemes, and the folder that serves them. The folder's code is loaded on first use. */
export const engines: readonly Engine[] = [
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: { demo: { isElsewhere: true } },
    urlsWithoutSecret: ['demo:'],
    read: () => import('./demo/index.ts'),
  },
  {
    title: 'PostgreSQL',
    schemes: {
      postgres: { port: 5432, protocol: 'postgresql' },
      postgresql: { port: 5432, protocol: 'postgresql' },
      neon: { protocol: 'postgresql' },
      hyperdrive: { title: 'Hyperdrive', port: 5432, isElsewhere: true },
    },
    urlsWithoutSecret: ['hyperdrive:BINDING'],
    estimates: ['plan', 'rows'],
    applies: ['role', 'claims'],
    read: () => import('./postgres/index.ts'),
    pasted: () => import('./postgres/pasted.ts'),
    fixes: () => import('./postgres/fixes.ts'),
  },
  {
    title: 'PostgreSQL',
    schemes: { supabase: { isElsewhere: true } },
    estimates: ['plan', 'rows'],
    applies: ['role', 'claims'],
    read: () => import('./supabase/index.ts'),
    pasted: () => import('./supabase/pasted.ts'),
    fixes: () => import('./supabase/fixes.ts'),
  },
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: { d1: { isElsewhere: true }, libsql: {}, turso: {}, sqlite: {}, file: {} },
    urlsWithoutSecret: ['d1:BINDING', 'sqlite:PATH'],
    read: () => import('./sqlite/index.ts'),
    pasted: () => import('./sqlite/pasted.ts'),
    fixes: () => import('./sqlite/fixes.ts'),
  },
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: { rqlite: { port: 4001 }, rqlites: { port: 4001 } },
    read: () => import('./rqlite/index.ts'),
    pasted: () => import('./rqlite/pasted.ts'),
  },
  {
    title: 'MySQL',
    schemes: {
      mysql: { port: 3306, protocol: 'mysql' },
      mariadb: { title: 'MariaDB', port: 3306, protocol: 'mysql' },
      planetscale: {},
    },
    estimates: ['plan', 'rows'],
    applies: ['role'],
    read: () => import('./mysql/index.ts'),
    pasted: () => import('./mysql/pasted.ts'),
    fixes: () => import('./mysql/fixes.ts'),
  },
  {
    title: 'ClickHouse',
    schemes: { clickhouse: { port: 8123 }, clickhouses: { port: 8443 } },
    estimates: ['rows'],
    applies: ['role'],
    read: () => import('./clickhouse/index.ts'),
    pasted: () => import('./clickhouse/pasted.ts'),
    fixes: () => import('./clickhouse/fixes.ts'),
  },
]

/** A kind of database: facts that are known before its code is loaded, and the function that loads it. */
export interface Engine {
  /** The usual written name: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** True if its dialect has `tablesRead`. */
  readonly tellsTables?: boolean | undefined
  /** The parts of an estimate that its plans report, in all versions or in some. */
  readonly estimates?: readonly (keyof Estimate)[] | undefined
  /** The URL schemes of its databases, without the colon, and the facts that follow from each. */
  readonly schemes: Readonly<Record<string, Scheme>>
  /** Its URL forms that contain no secret. BINDING stands for the name of a binding, PATH for a path. */
  readonly urlsWithoutSecret?: readonly string[] | undefined
  /** The parts of an identity that its drivers can apply, all or some of them. */
  readonly applies?: readonly (keyof Identity)[] | undefined
  /** Loads its drivers. The first one that opens a URL is used. */
  read(): Promise<{ readonly drivers: readonly Driver[] }>
  /** Loads the code that reads its pasted connection strings. Left out if another entry reads them. */
  pasted?(): Promise<{ readonly pasted: StringForms }>
  /** Loads the fixes for its faults, if it has any besides the general ones. */
  fixes?(): Promise<{ readonly fixes: EngineFixes }>
}

/** Facts about a database that follow from its URL scheme. */
export interface Scheme {
  /** The database's usual name, if it is not the engine's. */
  readonly title?: string
  /** The default port of its server. Left out if it is reached over HTTPS. */
  readonly port?: number
  /** True if its URL contains no host: it is a binding, or behind a company's API on that company's host. */
  readonly isElsewhere?: boolean
  /** Its server's wire protocol, in wrangler's terms, if Hyperdrive can be put in front of it. */
  readonly protocol?: 'postgresql' | 'mysql' | undefined
}
