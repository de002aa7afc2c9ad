import { type Database, DatabaseError, doctor, type Located } from '../database/index.ts'

/** How long a role may be inspected. */
export const MAX_INSPECTION_MS = 10_000

/** The URLs of the databases whose roles this isolate has inspected. */
const inspected = new Set<string>()

/**
 * The same database. After its first answer, its role is inspected once, in the background. A line in
 * the log says what the role may do that only the guard stops.
 */
export function withRoleWarning(
  located: Located,
  url: string,
  name: string,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): Located {
  const openWithWarning = async (): Promise<Database> => {
    const database = await located.open()
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
  return { ...located, open: openWithWarning }
}

async function warn(database: Database, name: string): Promise<void> {
  try {
    const { inspectRole, warning } = await doctor()
    const { findings } = await inspectRole(database, { timeoutMs: MAX_INSPECTION_MS })
    const line = warning(name, findings)
    if (line) console.warn(line)
  } catch (error) {
    // The callers of the database read this error themselves.
    if (!(error instanceof DatabaseError)) console.error(error)
  }
}
