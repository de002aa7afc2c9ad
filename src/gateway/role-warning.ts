import { type Database, DatabaseError, examine, type Io, warning } from '../database/index.ts'

/** What a gateway touches of the outside world. */
export interface World extends Io {
  /** Lets work go on when its request has been answered. */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** What nobody waits for is not waited for long. */
const PATIENCE_MS = 10_000

/** The databases that were looked at, by their URLs, for as long as this Worker lives. */
const looked = new Set<string>()

/**
 * The same database. After its first answer, and once only, the rights of its role are looked at in
 * the background, and a line in the log says what only the guard stands before.
 */
export function withFirstLook(
  database: Database,
  url: string,
  name: string,
  world: World,
): Database {
  return {
    ...database,
    async query(statement, limits) {
      const rows = await database.query(statement, limits)
      if (world.waitUntil && !looked.has(url)) {
        looked.add(url)
        world.waitUntil(warn(database, name))
      }
      return rows
    },
  }
}

async function warn(database: Database, name: string): Promise<void> {
  try {
    const { findings } = await examine(database, { timeoutMs: PATIENCE_MS })
    const line = await warning(name, findings)
    if (line) console.warn(line)
  } catch (error) {
    // Why a database gives no answer is told to whoever asks it.
    if (!(error instanceof DatabaseError)) console.error(error)
  }
}
