import type { Database, Io } from './database.ts'
import type { Estimate } from './dialect.ts'
import { type Engine, engines, type Scheme } from './engines.ts'
import { DatabaseError } from './error.ts'
import type { EngineFixes } from './fix.ts'
import type { Identity, Statement } from './rows.ts'
import { hyperdriveScheme } from './transport/hyperdrive.ts'

/** The database behind a URL. Its engine's code is loaded when it is opened. */
export interface DatabaseSource {
  /** Its engine's name: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** The parts of an identity that can be applied to it, judging by the URL. */
  readonly applies: readonly (keyof Identity)[]
  /** True if it reports the tables that a statement reads, before the statement runs. */
  readonly tellsTables?: boolean | undefined
  /** The parts of an estimate that its plans report, in all versions or in some. */
  readonly estimates: readonly (keyof Estimate)[]
  /** Opens it without connecting. Throws {@link DatabaseError} if the URL is incomplete. */
  open(): Promise<Database>
}

/**
 * Finds the engine for a URL's database. The guard checks every statement first. Throws {@link DatabaseError}
 * for a URL that no engine opens, without repeating the URL.
 */
export function locate(url: string, io: Io): DatabaseSource {
  const scheme = schemeOf(url, io)
  if (scheme === undefined) throw new DatabaseError('config', 'The database URL is not a URL.')
  return locateLater(scheme, async () => url, io)
}

/** The scheme that determines a URL's engine. Hyperdrive supports two engines, so its binding determines which. */
function schemeOf(url: string, io: Io): string | undefined {
  const [, written, name = ''] = /^\s*([a-z][a-z\d+.-]*):(\w*)/i.exec(url) ?? []
  const scheme = written?.toLowerCase()
  return (scheme === 'hyperdrive' ? hyperdriveScheme(name, io) : undefined) ?? scheme
}

/**
 * Finds the engine for a database whose URL is read when it is opened. Before that, only the scheme is known.
 * Throws {@link DatabaseError} for a scheme that no engine opens.
 */
export function locateLater(scheme: string, read: () => Promise<string>, io: Io): DatabaseSource {
  const engine = engineOf(scheme)
  if (!engine) {
    const schemes = engines.flatMap((it) => Object.keys(it.schemes).map((scheme) => `${scheme}:`))
    throw new DatabaseError(
      'config',
      `No driver can open this database URL. It must begin with one of ${schemes.join(', ')}.`,
    )
  }
  let opened: Database | undefined
  return {
    title: engine.title,
    applies: engine.applies ?? [],
    tellsTables: engine.tellsTables,
    estimates: engine.estimates ?? [],
    // Requests share the database, but never the promise for it: reading the URL can require a fetch, which
    // ends with the request that started it.
    async open() {
      opened ??= await openWith(engine, read, io)
      return opened
    },
  }
}

const engineOf = (scheme: string) => engines.find(({ schemes }) => Object.hasOwn(schemes, scheme))

/** Facts about a database that follow from its URL scheme. */
export interface KnownScheme extends Scheme {
  /** The usual written name: `PostgreSQL`, `MariaDB`. */
  readonly title: string
  readonly port: number
  fixes(): Promise<EngineFixes>
}

/** The facts about a scheme, if an engine serves it. */
export function knownScheme(scheme: string): KnownScheme | undefined {
  const engine = engineOf(scheme)
  if (!engine) return undefined
  const { title, schemes, fixes } = engine
  return {
    ...{ title, port: HTTPS, ...schemes[scheme] },
    fixes: async () => (await fixes?.())?.fixes ?? {},
  }
}

const HTTPS = 443

/** The titles of the engines that meet a condition, joined for a sentence: `PostgreSQL and MySQL`. */
export const titlesOf = (isTrue: (engine: Engine) => boolean): string =>
  [...new Set(engines.filter(isTrue).map(({ title }) => title))].join(' and ')

/** The database URLs that contain no secret. BINDING stands for the name of a binding, PATH for any path. */
export const urlsWithoutSecret: readonly string[] = engines.flatMap(
  ({ urlsWithoutSecret = [] }) => urlsWithoutSecret,
)

/** True if a database URL contains no secret: it is one of {@link urlsWithoutSecret}. */
export const hasNoSecret = (url: string): boolean =>
  urlsWithoutSecret.includes(url.replace(/:[A-Za-z_][A-Za-z0-9_]*$/, ':BINDING')) ||
  urlsWithoutSecret.includes(url.replace(/:.+/, ':PATH'))

/** Checks that the guard allows a statement, without sending it. Throws {@link DatabaseError}. */
export async function assertReads({ dialect }: Database, statement: Statement): Promise<void> {
  const { admit } = await import('./guard/guarded.ts')
  admit(statement, dialect)
}

/** Loads the code that finds the hosts in a database URL. */
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
  // For a guest, a URL that `open` refuses is refused here.
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
