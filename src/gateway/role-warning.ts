import {
  type Database,
  DatabaseError,
  doctor,
  type Platform,
  platformOf,
} from '../database/index.ts'
import type { Caller } from '../mcp/index.ts'
import type { Endpoint } from './endpoint.ts'
import type { CredentialIo, EndpointDatabase } from './open-database.ts'

/** How long a role may be inspected. */
export const MAX_INSPECTION_MS = 10_000

/** The URLs and roles of the databases that this isolate has inspected. */
const inspected = new Set<string>()

/**
 * The same database. After the first call that it answers, its role is inspected once, in the background. A
 * line in the log says what the role may do that only the guard stops.
 */
export function withRoleWarning(
  located: EndpointDatabase,
  { url, role }: Endpoint['databases'][string],
  name: string,
  { machine, waitUntil }: CredentialIo,
): EndpointDatabase {
  const key = JSON.stringify([url, role])
  const openWithWarning = async (caller?: Caller): Promise<Database> => {
    const database = await located.open(caller)
    return {
      ...database,
      async query(statement, limits) {
        const rows = await database.query(statement, limits)
        if (waitUntil && !inspected.has(key)) {
          inspected.add(key)
          waitUntil(warn(database, name, platformOf(machine), limits.sessions?.ended))
        }
        return rows
      },
    }
  }
  return { ...located, open: openWithWarning }
}

async function warn(
  database: Database,
  name: string,
  platform: Platform,
  answered: Promise<void> | undefined,
): Promise<void> {
  try {
    // Reading the code of the doctor would keep the call waiting.
    await answered
    const { inspectRole, warning } = await doctor()
    const { findings } = await inspectRole(database, { timeoutMs: MAX_INSPECTION_MS })
    const line = warning(name, findings, platform)
    if (line) console.warn(line)
  } catch (error) {
    // The callers of the database read this error themselves.
    if (!(error instanceof DatabaseError)) console.error(error)
  }
}
