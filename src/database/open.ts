import type { Database, Io } from './database.ts'
import { engines } from './engines.ts'
import { DatabaseError } from './error.ts'
import type { Statement } from './rows.ts'

/** A database that a URL names. Nothing of its engine is read, and nobody asked, until it is opened. */
export interface Located {
  /** What its engine is called: `PostgreSQL`, `SQLite`. */
  readonly title: string
  /** Opens it without going there. Throws {@link DatabaseError} for a URL that lacks something. */
  open(): Promise<Database>
}

/**
 * Finds the engine of the database that a URL names. Whatever the database is asked passes the guard
 * first. Throws {@link DatabaseError} for a URL that no engine knows, without repeating it.
 */
export function locate(url: string, io: Io): Located {
  if (!URL.canParse(url)) {
    throw new DatabaseError(
      'config',
      'The database URL is not a URL. Percent-encode its user and its password.',
    )
  }
  const parsed = new URL(url)
  const engine = engines.find(({ schemes }) => schemes.includes(parsed.protocol.slice(0, -1)))
  if (!engine) {
    const schemes = engines.flatMap((it) => it.schemes.map((scheme) => `${scheme}:`))
    throw new DatabaseError(
      'config',
      `No driver opens this database URL. It must begin with one of ${schemes.join(', ')}.`,
    )
  }
  let opened: Promise<Database> | undefined
  return {
    title: engine.title,
    open: () => (opened ??= openWith(engine, parsed, io)),
  }
}

/** The URLs of databases with nothing to hide, where BINDING stands for the name of one. */
export const openUrls: readonly string[] = engines.flatMap(({ open = [] }) => open)

/** Whether the URL of a database has nothing to hide: it is one of {@link openUrls}. */
export const isOpenUrl = (url: string): boolean =>
  openUrls.includes(url.replace(/:[A-Za-z_][A-Za-z0-9_]*$/, ':BINDING'))

/** Makes sure that a database may run a statement, without asking it. Throws {@link DatabaseError}. */
export async function assertReads({ dialect }: Database, statement: Statement): Promise<void> {
  const { admitted } = await import('./guard/guarded.ts')
  admitted(statement, dialect)
}

async function openWith(engine: (typeof engines)[number], url: URL, io: Io): Promise<Database> {
  const [{ drivers }, { guarded }] = await Promise.all([
    engine.read(),
    import('./guard/guarded.ts'),
  ])
  const driver = drivers.find((it) => it.opens(url))!
  return guarded(driver.open(url, io))
}
