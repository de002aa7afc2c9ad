import { badConfig, DatabaseError } from '../../error.ts'
import { loginError, ofLogin } from '../error.ts'
import { quoted } from '../quote.ts'
import type { SessionVariables } from '../read-only.ts'
import type { MysqlConnection } from './connection.ts'

/**
 * Makes a role the session's only role, and then selects the database. The user keeps its own privileges.
 * Throws {@link DatabaseError}.
 */
export async function becomeRole(
  connection: MysqlConnection,
  role: string,
  database: string,
): Promise<void> {
  // Sent all at once. If the first one fails, the caller's statement does not run.
  const set = connection.run(`set role ${quoted(role)}`).catch((error) => {
    const about = error instanceof DatabaseError && /^(?:sql|refused)$/.test(error.kind)
    throw about ? noRole(error.code) : error
  })
  const told = connection.run('select current_role()')
  const entered = connection.run(`use ${quoted(database)}`).catch((error) => {
    const code = error instanceof DatabaseError ? Number(error.code) : 0
    throw ofLogin(code) ? loginError(code) : error
  })
  for (const it of [told, entered]) it.catch(() => {})
  await set
  // A proxy may have responded without passing the statement on. MySQL adds the role's host.
  const [row] = await told
  if (![role, `${quoted(role)}@\`%\``].includes(textOf(row?.[0]))) throw noRole()
  await entered
}

/** A value from one of our own statements, as text. */
export const textOf = (value: unknown) =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)

/** The rows of {@link CHECKS} as text. */
export const variablesOf = (rows: readonly (readonly unknown[])[]): SessionVariables =>
  rows.map(([name, value]) => [textOf(name), textOf(value)])

const noRole = (code?: string) =>
  badConfig(
    'The role for this database does not exist, or the user in its URL cannot switch to it. No query was sent.',
    { code, hint: 'The operator must create the role, and then: GRANT role TO user.' },
  )
