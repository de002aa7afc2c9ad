import type { Database, Limits } from '../database.ts'
import { type Examination, type Finding, type Prepared, type Reported, ROOM } from '../role.ts'
import { explain } from '../statements/explain.ts'

/** How roles are looked at: who never asks never reads it. */
const roles = () => import('./looks.ts')

/**
 * Finds out what the role of a database may do besides reading. It only asks: nothing is tried.
 * Throws {@link DatabaseError}.
 */
export async function examine(
  database: Database,
  limits: Pick<Limits, 'timeoutMs' | 'signal'>,
): Promise<Examination> {
  const { looks } = await roles()
  const look = looks[database.dialect.name]!
  const ask = async (sql: string) =>
    (await database.query({ sql, own: true }, { ...limits, ...ROOM })).rows
  return look(ask, database)
}

/** Which statements of an operator's own the database cannot prepare, a sentence each. */
export const unprepared = async (
  database: Database,
  tools: readonly Prepared[],
  limits: Pick<Limits, 'timeoutMs' | 'signal'>,
): Promise<readonly string[]> =>
  (await roles()).unprepared(tools, (it) => explain(database, it, { ...limits, ...ROOM }))

/** A line for the log, where only the guard stands before something that a role may do. */
export const warning = async (name: string, findings: readonly Finding[]) =>
  (await roles()).warning(name, findings)

/** Why a database could not be looked at, for its operator. */
export const reason = async (error: unknown): Promise<string> => (await roles()).reason(error)

/** What was found, as a person reads it in a terminal. */
export const report = async (it: Reported): Promise<string> => (await roles()).reported(it)
