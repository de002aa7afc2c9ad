import { DatabaseError } from '../error.ts'
import { loginError, ofLogin } from './error.ts'
import { quoted } from './quote.ts'
import type { Connection } from './tcp-connection.ts'

/**
 * Makes a role the only one of the session, and then enters the database. What the user itself may do,
 * it may still do. Throws {@link DatabaseError}.
 */
export async function becomeRole(
  connection: Connection,
  role: string,
  database: string,
): Promise<void> {
  // All at once: where the first fails, nothing is asked.
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
  // A proxy may have answered without passing it on. MySQL adds the host of the role.
  const [row] = await told
  if (![role, `${quoted(role)}@\`%\``].includes(textOf(row?.[0]))) throw noRole()
  await entered
}

/** A value of an answer to one of our own statements, as text. */
export const textOf = (value: unknown) =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)

const noRole = (code?: string) =>
  new DatabaseError(
    'config',
    'The role of this database does not exist, or the user of its URL may not become it. Nothing was asked.',
    { code, hint: 'The operator has to make the role, and then: GRANT role TO user.' },
  )
