import type { ShownEndpoint } from './endpoint.ts'

/** What people call what a URL begins with. */
const ENGINES: Readonly<Record<string, string>> = {
  demo: 'SQLite',
  d1: 'SQLite',
  libsql: 'SQLite',
  turso: 'SQLite',
  rqlite: 'SQLite',
  rqlites: 'SQLite',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  neon: 'PostgreSQL',
  hyperdrive: 'Hyperdrive',
  supabase: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
  planetscale: 'MySQL',
  clickhouse: 'ClickHouse',
  clickhouses: 'ClickHouse',
}

/** What is known of the database of an endpoint without asking it: its engine, and where it is. */
export interface KnownEngine {
  readonly engine: string
  readonly where: string
}

/** The engine of each database of an endpoint, by its name. */
export function enginesOf({ databases, credentials = {} }: ShownEndpoint): [string, KnownEngine][] {
  const all = Object.entries(databases as Readonly<Record<string, { readonly url: string }>>)
  return all.map(([name, { url }]) => {
    const stored = Object.hasOwn(credentials, name) ? credentials[name] : undefined
    const scheme: string = stored?.scheme ?? url.split(':')[0]
    const engine = Object.hasOwn(ENGINES, scheme) ? ENGINES[scheme]! : 'Database'
    return [name, { engine, where: stored?.host || WHERE[scheme] || url }]
  })
}

const WHERE: Readonly<Record<string, string>> = { demo: 'built in' }
