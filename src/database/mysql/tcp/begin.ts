import { badConfig, DatabaseError } from '../../error.ts'
import type { QueryContext } from '../../rows.ts'
import type { Target } from '../../transport/servers.ts'
import {
  barrier,
  CHECKS,
  check,
  notReadOnly,
  READ_ONLY,
  type ServerKind,
  type SessionVariables,
  settings,
} from '../read-only.ts'
import type { MysqlConnection } from './connection.ts'
import { becomeRole, variablesOf } from './role.ts'

/** Thrown when the session ended at its barrier. Earlier responses from the server may be lost. */
export const shut = Symbol('shut')

/** Thrown when the server is not the kind that the URL requires. */
export const unwanted = Symbol('unwanted')

/** "Unknown system variable". */
const UNKNOWN_VARIABLE = '1193'

/** "Connection was killed". */
const KILLED = '1927'

/**
 * Makes a session read-only and checks it. Resolves with the variables that prove it. `atOnce` is false if it
 * took a second try. Throws {@link DatabaseError}, or {@link shut}.
 *
 * @param look MariaDB's own check of the session: `ahead` of statements sent in the same round trip, as the `last`
 *   step, so that earlier errors are reported, or `none`
 */
export async function begin(
  connection: MysqlConnection,
  server: ServerKind,
  limits: QueryContext,
  database: string,
  look: 'ahead' | 'last' | 'none',
): Promise<{ readonly variables: SessionVariables; readonly atOnce: boolean }> {
  try {
    const variables = await set(connection, server, limits, database, look)
    return { variables, atOnce: true }
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined
    if (look === 'ahead' && code === undefined) throw shut
    if (code !== UNKNOWN_VARIABLE) throw error
    // A proxy reported a different version than the server behind it.
    const other = server === 'mysql' ? 'mariadb' : 'mysql'
    const variables = await set(connection, other, limits, database, 'none')
    connection.forget()
    return { variables, atOnce: false }
  }
}

async function set(
  connection: MysqlConnection,
  server: ServerKind,
  limits: QueryContext,
  database: string,
  when: 'ahead' | 'last' | 'none',
): Promise<SessionVariables> {
  const { role } = limits.identity ?? {}
  const steps = [
    connection.run(READ_ONLY),
    connection.run(settings(limits, server)),
    role === undefined ? undefined : becomeRole(connection, role, database),
    when === 'ahead' ? connection.run(barrier(role)).catch(() => Promise.reject(shut)) : undefined,
  ]
  const checks = connection.run(CHECKS)
  // If several steps fail, the first error is the cause of the others.
  for (const it of [...steps, checks]) it?.catch(() => {})
  for (const it of steps) await it
  const variables = variablesOf(await checks)
  check(variables)
  if (when !== 'last') return variables
  await connection.run(barrier(role)).catch((error) => {
    // A proxy that does not understand the barrier has passed the other checks.
    const isUnknown = error instanceof DatabaseError && ![undefined, KILLED].includes(error.code)
    if (!isUnknown) throw notReadOnly()
  })
  return variables
}

/**
 * True if a server is the kind that the URL requires. A replica refuses writes through `read_only`, or on Aurora
 * through `innodb_read_only`. Throws {@link DatabaseError} for a server that reports neither.
 */
export function isWanted(target: Target, variables: SessionVariables): boolean {
  if (target === 'any') return true
  const values = variables.filter(([it]) => /^(?:innodb_)?read_only$/.test(it))
  if (values.length === 0) {
    throw badConfig(
      'The server does not report whether it accepts writes, which target_session_attrs requires.',
    )
  }
  const isReplica = values.some(([, value]) => !/^(?:off|0)$/i.test(value))
  return isReplica === !['primary', 'read-write'].includes(target)
}
