import { type Database, DatabaseError, doctor, type Io, type Located } from '../database/index.ts'

/** What a gateway touches of the outside world. */
export interface World extends Io {
  /** Lets work go on when its request has been answered. */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** What nobody waits for is not waited for long. */
const PATIENCE_MS = 10_000

/** The databases whose roles were inspected, by their URLs, for as long as this Worker lives. */
const inspected = new Set<string>()

/**
 * The same database. After its first answer, and once only, the rights of its role are inspected in
 * the background, and a line in the log says what only the guard stands before.
 */
export function withRoleWarning(it: Located, url: string, name: string, world: World): Located {
  const { waitUntil } = world
  const warned = async (): Promise<Database> => {
    const database = await it.open()
    return {
      ...database,
      async query(statement, limits) {
        const rows = await database.query(statement, limits)
        if (waitUntil && !inspected.has(url)) {
          inspected.add(url)
          waitUntil(warn(database, name))
        }
        return rows
      },
    }
  }
  let opened: Promise<Database> | undefined
  return { ...it, open: () => (opened ??= warned()) }
}

async function warn(database: Database, name: string): Promise<void> {
  try {
    const { inspectRole, warning } = await doctor()
    const { findings } = await inspectRole(database, { timeoutMs: PATIENCE_MS })
    const line = warning(name, findings)
    if (line) console.warn(line)
  } catch (error) {
    // Callers are told why a database gives no answer.
    if (!(error instanceof DatabaseError)) console.error(error)
  }
}
