import type { Database, Io } from './database.ts'
import type { Estimate } from './dialect.ts'
import { engines } from './engines.ts'
import { DatabaseError } from './error.ts'
import type { Identity, Statement } from './rows.ts'
import { hyperdriveScheme } from './transport/hyperdrive.ts'

/** The database that a URL names. The code of its engine is read when it is opened. */
export interface Located {
  /** What its engine is called: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** What of an identity can be applied there, as far as the URL tells. */
  readonly applies: readonly (keyof Identity)[]
  /** Whether it tells which tables a statement reads, before the statement runs. */
  readonly tellsTables?: boolean | undefined
  /** What of an estimate its plans tell, in all versions or in some. */
  readonly estimates: readonly (keyof Estimate)[]
  /** Opens it without connecting. Throws {@link DatabaseError} for a URL that lacks something. */
  open(): Promise<Database>
}

/**
 * Finds the engine of the database that a URL names. The guard checks every statement first. Throws
 * {@link DatabaseError} for a URL that no engine opens, without repeating the URL.
 */
export function locate(url: string, io: Io): Located {
  const scheme = schemeOf(url, io)
  if (scheme === undefined) throw new DatabaseError('config', 'The database URL is not a URL.')
  return locateLater(scheme, async () => url, io)
}

/** What tells the engine of a URL. Behind Hyperdrive there are two, and the binding says which one. */
function schemeOf(url: string, io: Io): string | undefined {
  const [, written, name = ''] = /^\s*([a-z][a-z\d+.-]*):(\w*)/i.exec(url) ?? []
  const scheme = written?.toLowerCase()
  return (scheme === 'hyperdrive' ? hyperdriveScheme(name, io) : undefined) ?? scheme
}

/**
 * Finds the engine of a database whose URL is read when it is opened: of the URL, only the scheme is
 * known. Throws {@link DatabaseError} for a scheme that no engine opens.
 */
export function locateLater(scheme: string, read: () => Promise<string>, io: Io): Located {
  const engine = engineOf(scheme)
  if (!engine) {
    const schemes = engines.flatMap((it) => it.schemes.map((scheme) => `${scheme}:`))
    throw new DatabaseError(
      'config',
      `No driver opens this database URL. It must begin with one of ${schemes.join(', ')}.`,
    )
  }
  let opened: Database | undefined
  return {
    title: engine.title,
    applies: engine.applies ?? [],
    tellsTables: engine.tellsTables,
    estimates: engine.estimates ?? [],
    // The database is shared between requests, never the promise of it: reading the URL may take a
    // request of its own, which ends with the one that began it.
    async open() {
      opened ??= await openWith(engine, read, io)
      return opened
    },
  }
}

const engineOf = (scheme: string) => engines.find(({ schemes }) => schemes.includes(scheme))

/** The URLs of databases that hold no secret. BINDING stands for the name of a binding, PATH for any path. */
export const urlsWithoutSecret: readonly string[] = engines.flatMap(
  ({ urlsWithoutSecret = [] }) => urlsWithoutSecret,
)

/** Whether the URL of a database holds no secret: it is one of {@link urlsWithoutSecret}. */
export const hasNoSecret = (url: string): boolean =>
  urlsWithoutSecret.includes(url.replace(/:[A-Za-z_][A-Za-z0-9_]*$/, ':BINDING')) ||
  urlsWithoutSecret.includes(url.replace(/:.+/, ':PATH'))

/** Checks that the guard lets a statement through, without sending it. Throws {@link DatabaseError}. */
export async function assertReads({ dialect }: Database, statement: Statement): Promise<void> {
  const { admit } = await import('./guard/guarded.ts')
  admit(statement, dialect)
}

/** Loads the code that finds the hosts in the URL of a database. */
export const hosts = () => import('./transport/hosts.ts')

async function openWith(
  engine: (typeof engines)[number],
  read: () => Promise<string>,
  io: Io,
): Promise<Database> {
  const [known, { guarded }, { databaseUrl }, text] = await Promise.all([
    engine.read(),
    import('./guard/guarded.ts'),
    hosts(),
    read(),
  ])
  const { machine } = io
  const url = databaseUrl(text, machine && !machine.isGuest)
  const told = engineOf(schemeOf(text, io) ?? '') ?? engine
  const { drivers } = told === engine ? known : await told.read()
  const driver = drivers.find((it) => it.opens(url))!
  // What it refuses there is refused here.
  if (machine?.isGuest) driver.open(url, io)
  const database =
    machine && driver.openOn ? await driver.openOn(machine, url, io) : driver.open(url, io)
  const behindGuard = guarded(database)
  const joined =
    database.dialect.joining && (await import('./schema/joining.ts')).joining(behindGuard)
  return {
    ...(joined ?? behindGuard),
    tryWrite: async (table, limits) =>
      (await import('./doctor/try-write.ts')).tryWrite(database, table, limits),
  }
}
