import {
  type Database,
  DatabaseError,
  explain,
  type Failure,
  type Statement,
  type TimeLimits,
} from '../../database/index.ts'

/** Kinds of errors that are not about a statement. */
const OF_DATABASE: readonly Failure[] = ['network', 'auth', 'config']

/** Limits on a plan that nobody reads. It is small in every engine. */
const ROOM = { maxRows: 1_000, maxBytes: 1 << 20 }

/** The error about a statement that a database cannot plan. Throws if the database itself fails. */
export async function planFault(
  database: Database,
  { sql, params }: Statement,
  limits: TimeLimits,
): Promise<DatabaseError | undefined> {
  try {
    await explain(database, { sql, params }, { ...limits, ...ROOM })
    return undefined
  } catch (error) {
    if (!(error instanceof DatabaseError) || OF_DATABASE.includes(error.kind)) throw error
    // A refusal by the database has a code. A refusal without a code is ours: the statement has no plan, such as SHOW.
    return error.kind === 'refused' && error.code === undefined ? undefined : error
  }
}

/** A statement that every database can plan, unless it cannot plan at all, such as ClickHouse before 20.6. */
export const TRIVIAL = { sql: 'select 1' }
