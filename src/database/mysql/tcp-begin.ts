import { DatabaseError } from '../error.ts'
import type { Limits } from '../rows.ts'
import {
  barrier,
  CHECKS,
  check,
  notReadOnly,
  READ_ONLY,
  type Server,
  settings,
  type Variables,
} from './read-only.ts'
import type { Connection } from './tcp-connection.ts'
import { becomeRole, textOf } from './tcp-role.ts'

/** Why there is no answer: the session ended at its barrier, and what the server said before that may be lost. */
export const shut = Symbol('shut')

/** "Unknown system variable". */
const UNKNOWN_VARIABLE = '1193'

/** "Connection was killed". */
const KILLED = '1927'

/**
 * Makes sure that a session only reads. Resolves with the variables that say so, and with whether that needed
 * no second try. Throws {@link DatabaseError}, or {@link shut}.
 *
 * @param look whether MariaDB's own look at the session comes ahead of what is sent in the same turn, or as the
 *   last step, so that what fails before is told
 */
export async function begin(
  connection: Connection,
  server: Server,
  limits: Limits,
  database: string,
  look: 'ahead' | 'last' | 'none',
): Promise<{ readonly variables: Variables; readonly atOnce: boolean }> {
  try {
    const variables = await set(connection, server, limits, database, look)
    return { variables, atOnce: true }
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined
    if (look === 'ahead' && code === undefined) throw shut
    if (code !== UNKNOWN_VARIABLE) throw error
    // A proxy reported another version than that of the server behind it.
    const other = server === 'mysql' ? 'mariadb' : 'mysql'
    const variables = await set(connection, other, limits, database, 'none')
    connection.forget()
    return { variables, atOnce: false }
  }
}

async function set(
  connection: Connection,
  server: Server,
  limits: Limits,
  database: string,
  when: 'ahead' | 'last' | 'none',
): Promise<Variables> {
  const { role } = limits.identity ?? {}
  const steps = [
    connection.run(READ_ONLY),
    connection.run(settings(limits, server)),
    role === undefined ? undefined : becomeRole(connection, role, database),
    when === 'ahead' ? connection.run(barrier(role)).catch(() => Promise.reject(shut)) : undefined,
  ]
  const checks = connection.run(CHECKS)
  // Of several failures, the first one is the reason for the others.
  for (const it of [...steps, checks]) it?.catch(() => {})
  for (const it of steps) await it
  const variables = (await checks).map(([name, value]) => [textOf(name), textOf(value)] as const)
  check(variables)
  if (when === 'last') {
    await connection.run(barrier(role)).catch((error) => {
      // A proxy that does not understand it has been asked without it.
      const isUnknown = error instanceof DatabaseError && ![undefined, KILLED].includes(error.code)
      if (!isUnknown) throw notReadOnly()
    })
  }
  return variables
}
