import type { Machine } from '../machine.ts'
import { type Draft, firstPort, type Notes, plainName } from './draft.ts'
import { type Family, foreignFault, type Known, knownScheme } from './families.ts'
import { NotRecognised } from './fault.ts'

/** What a connection string without a scheme is for, if nothing else is told. */
export const POSTGRES: Known = { family: 'postgres', scheme: 'postgres' }
const MYSQL: Known = { family: 'mysql', scheme: 'mysql' }

/** Who writes these names in a list with semicolons. */
const TELLING: readonly { readonly names: readonly string[]; readonly is: Known | string }[] = [
  {
    names: [
      'integratedsecurity',
      'trustedconnection',
      'multipleactiveresultsets',
      'attachdbfilename',
    ],
    is: 'SQL Server',
  },
  { names: ['persistsecurityinfo', 'encrypt', 'columnencryptionsetting'], is: 'SQL Server' },
  { names: ['accountendpoint', 'accountkey'], is: 'Azure Cosmos DB' },
  {
    names: ['endpoint', 'sharedaccesskey', 'defaultendpointsprotocol'],
    is: 'another Azure service',
  },
  { names: ['account', 'warehouse'], is: 'Snowflake' },
  { names: ['searchpath', 'nopreset', 'maxautoprepare', 'includeerrordetail'], is: POSTGRES },
  { names: ['allowuservariables', 'convertzerodatetime', 'allowpublickeyretrieval'], is: MYSQL },
  { names: ['characterset', 'charset', 'treattinyasboolean', 'uid'], is: MYSQL },
]

const DRIVERS: readonly (readonly [RegExp, Known | string])[] = [
  [/postgres/i, POSTGRES],
  [/mysql|mariadb/i, MYSQL],
  [/clickhouse/i, { family: 'clickhouse', scheme: 'clickhouse' }],
  [/sql server|sqloledb|sqlncli|msoledbsql/i, 'SQL Server'],
  [/oracle|oraoledb/i, 'Oracle'],
  [/access|jet|ace\.oledb/i, 'Microsoft Access'],
]

/** Ports that one engine listens on. */
const PORTS: Readonly<Record<string, Known>> = {
  5432: POSTGRES,
  6432: POSTGRES,
  6543: POSTGRES,
  5433: POSTGRES,
  26257: POSTGRES,
  3306: MYSQL,
  3307: MYSQL,
  4000: MYSQL,
  25060: POSTGRES,
  8123: { family: 'clickhouse', scheme: 'clickhouse' },
  9000: { family: 'clickhouse', scheme: 'clickhouse' },
  8443: { family: 'clickhouse', scheme: 'clickhouses' },
  9440: { family: 'clickhouse', scheme: 'clickhouses' },
  4001: { family: 'rqlite', scheme: 'rqlite' },
}

/** The engine of a list, by the names in it. Throws {@link NotRecognised} for one that no driver opens. */
export function toldBy(
  pairs: readonly (readonly [string, string])[],
  draft: Draft,
  notes: Notes,
): Known | undefined {
  const { host = '' } = draft
  const port = firstPort(draft)
  const names = new Map(pairs.map(([name, value]) => [plainName(name), value]))
  const driver = names.get('driver') ?? names.get('provider')
  const byDriver = driver && DRIVERS.find(([pattern]) => pattern.test(driver))?.[1]
  if (/,\s*1433$|^\(localdb\)|\\sqlexpress/i.test(host) || port === '1433') {
    throw foreignFault('SQL Server')
  }
  if (/\.(?:db|sqlite3?|s3db)$/i.test(host)) throw file(notes.machine)
  const byPort = Object.hasOwn(PORTS, port ?? '') ? PORTS[port!] : undefined
  const byName = TELLING.find((row) => row.names.some((it) => names.has(it)))?.is
  const found = byDriver || byPort || byName || byWords(names)
  if (typeof found === 'string') throw foreignFault(found)
  return found
}

/** Both engines write `SSL Mode`, with values of their own; `Host` and `Username` are PostgreSQL's. */
function byWords(names: ReadonlyMap<string, string>): Known | undefined {
  const mode = names.get('sslmode')
  if (mode && /^(?:preferred|required|none|verifyca|verifyidentity)$/i.test(mode)) return MYSQL
  return mode !== undefined || (names.has('host') && names.has('username')) ? POSTGRES : undefined
}

/** The fault of a file that a program opens on its own machine. */
export const file = (machine?: Machine) =>
  new NotRecognised(
    machine
      ? 'This is a SQLite file, and what is entered here may name no files. Start Tidegate with it: npx tidegate serve shop.sqlite.'
      : 'This is a SQLite file, and a Worker has no files. Put its tables into D1 (sqlite3 shop.db .dump > shop.sql, then npx wrangler d1 execute shop --remote --file shop.sql) or into Turso (turso db create shop --from-file shop.db), and use that.',
    'host',
    'SQLite',
  )

/** The engine of a place that names none, by its port or its host. */
export function guessed(draft: Draft): Known | undefined {
  const { host = '', user = '' } = draft
  const port = firstPort(draft) ?? ''
  if (Object.hasOwn(PORTS, port)) return PORTS[port]
  const byHost = HOSTS.find(([pattern]) => pattern.test(host))
  if (byHost) return known(byHost[1])
  if (/^postgres(?:\.[a-z]{20})?$/.test(user)) return POSTGRES
  return undefined
}

const known = (scheme: string): Known => knownScheme(scheme) ?? { family: scheme as Family, scheme }

const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/\.neon\.(?:tech|build)$|\.supabase\.(?:com|co)$|\.pg\.psdb\.cloud$|postgres/i, 'postgres'],
  [/\.psdb\.cloud$|mysql|mariadb/i, 'mysql'],
  [/\.clickhouse\.cloud$/i, 'clickhouses'],
  [/\.turso\.io$/i, 'libsql'],
]
