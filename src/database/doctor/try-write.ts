import type { UnguardedDatabase, WriteTrial } from '../database.ts'
import type { TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { ROLE_LIMITS } from '../role.ts'
import type { TimeLimits } from '../rows.ts'

/**
 * Sends the statements of a dialect that write to a database without its guard, and tells what became of
 * them. None of them changes anything that stays, also where the database would run it.
 */
export async function tryWrite(
  database: UnguardedDatabase,
  table: TableName | undefined,
  limits: TimeLimits,
): Promise<readonly WriteTrial[]> {
  const trials: WriteTrial[] = []
  for (const sql of database.dialect.writes(table)) {
    const outcome = await database.query({ sql }, { ...limits, ...ROLE_LIMITS }).then(
      () => ({ refused: false }),
      (error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error
        const { kind, message } = error
        // A cursor, or a program, takes no statement that writes: to these it is a syntax error.
        const refused = kind === 'refused' || kind === 'sql' ? true : undefined
        return { refused, said: message }
      },
    )
    trials.push({ statement: sql, ...outcome })
  }
  return trials
}
