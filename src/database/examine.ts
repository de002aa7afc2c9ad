import { type Database, DatabaseError, type Limits } from './database.ts'
import { roles } from './drivers/roles.ts'
import { type Examination, type Reported, ROOM } from './examination.ts'

/**
 * Finds out what the role of a database may do besides reading. It only asks: nothing is tried.
 * Throws {@link DatabaseError}.
 */
export async function examine(
  database: Database,
  limits: Pick<Limits, 'timeoutMs' | 'signal'>,
): Promise<Examination> {
  const { looks } = await roles()
  const look = looks[database.dialect.name]
  if (!look) throw new DatabaseError('config', 'Nobody knows how to look at roles there.')
  return look(async (sql) => (await database.query({ sql }, { ...limits, ...ROOM })).rows)
}

/** What was found, as a person reads it in a terminal. */
export const report = async (it: Reported): Promise<string> => (await roles()).reported(it)
