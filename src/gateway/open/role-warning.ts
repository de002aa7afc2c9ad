import { type Database, DatabaseError, doctor, platformOf } from '../../database/index.ts'
import { inFront, type Layer } from './endpoint-database.ts'

/** The time limit for inspecting a role. */
export const MAX_INSPECTION_MS = 10_000

/** The URLs and roles of the databases that this isolate has inspected. */
const inspected = new Set<string>()

/**
 * Inspects the role of a database once, in the background, after the first statement that it answers for a caller. A
 * log line lists the rights that only the guard blocks. Calls by a group that sees a part of the database do not count.
 */
export const inspectRoleOnce: Layer = (found, { endpoint, name, config, io }) => {
  const { machine, waitUntil } = io
  if (found.problem || config.only || !waitUntil) return found
  const key = JSON.stringify([config.url, config.role])

  async function warn(database: Database, answered: Promise<void> | undefined): Promise<void> {
    try {
      // Loading the doctor's code would delay the call.
      await answered
      const { inspectRole, warning } = await doctor()
      const { findings } = await inspectRole(database, { timeoutMs: MAX_INSPECTION_MS })
      const label = `Endpoint ${endpoint}, database ${name}`
      const line = warning(label, findings, platformOf(machine))
      if (line) console.warn(line)
    } catch (error) {
      // Callers of the database get this error themselves.
      if (!(error instanceof DatabaseError)) console.error(error)
    }
  }

  return inFront(found, (database, { isCheck }) => ({
    ...database,
    async query(statement, limits) {
      const rows = await database.query(statement, limits)
      if (!isCheck && !inspected.has(key)) {
        inspected.add(key)
        waitUntil(warn(database, limits.sessions?.ended))
      }
      return rows
    },
  }))
}
