import type { UnguardedDatabase, WriteTrial } from '../database.ts'
import type { TableName } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { ROLE_LIMITS } from '../role.ts'
import type { TimeLimits } from '../rows.ts'

/** Sends a dialect's write statements past the guard. Even if one runs, it makes no lasting change. */
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
        // A cursor or a program does not accept write statements and reports a syntax error.
        const refused = kind === 'refused' || kind === 'sql' ? true : undefined
        return { refused, said: message }
      },
    )
    trials.push({ statement: sql, ...outcome })
  }
  return trials
}
