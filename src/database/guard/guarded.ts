import type { Database, UnguardedDatabase } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import type { Param, Statement } from '../rows.ts'
import { costGate, runBehind } from './cost.ts'
import { refuse } from './guard.ts'
import { assertIdentity, isText } from './identity.ts'
import { withoutOwnText } from './own-text.ts'
import { type BoundStatement, bindPlaceholders } from './placeholders.ts'
import { read, trimmedStatement } from './reading.ts'
import { commentOf, withoutComment } from './trace-comment.ts'

/** Converts a statement to its dialect's form, if the guard allows it. Throws {@link DatabaseError}. */
export function admit(asked: Statement, dialect: Dialect): BoundStatement {
  const found = bindPlaceholders(asked, dialect)
  const refusal = refuse(found.statement, dialect.rules)
  if (refusal !== undefined) throw new DatabaseError('refused', refusal)
  if (found.fault !== undefined) throw new DatabaseError('sql', found.fault)
  return found
}

/** Like {@link admit}, but also checks that the values can be sent. Throws {@link DatabaseError}. */
export function admitWithValues(asked: Statement, dialect: Dialect): BoundStatement {
  const found = admit(asked, dialect)
  const { params = [] } = found.statement
  if (!params.every((it) => typeof it !== 'string' || isText(it))) {
    throw new DatabaseError(
      'sql',
      'A parameter contains a NUL, or half of a surrogate pair: remove it.',
    )
  }
  if (!params.every(isExact)) {
    throw new DatabaseError('sql', 'A parameter is an integer past 2^53, which JSON rounds.', {
      hint: 'Send it as a string.',
    })
  }
  return found
}

/**
 * Puts a database behind the guard: it only gets single read-only statements, values that can be written as
 * text, and an identity that it applies. Statements can use `$1`, `$2`, … in every dialect, or the engine's
 * placeholders.
 */
export function guarded(database: UnguardedDatabase): Database {
  const { dialect } = database
  return {
    ...database,
    async query(asked, limits) {
      assertIdentity(limits.identity, database)
      const { statement, origin } = admitWithValues(asked, dialect)
      const { params } = statement
      const { rules } = dialect
      const reading = read(statement, rules)
      const comment = limits.trace && dialect.logsComments ? commentOf(limits.trace) : ''
      const rest = { params, internal: asked.internal }
      const trimmed = trimmedStatement(reading, rest, rules, comment)
      const started = Date.now()
      const gate = limits.gate ?? costGate(trimmed, dialect, limits)
      const run = gate
        ? runBehind(gate, database, trimmed, limits)
        : database.query(trimmed, limits)
      const answer = await run.catch((thrown) => {
        if (!(thrown instanceof DatabaseError)) throw thrown
        const error = withoutComment(thrown, comment, reading.sql)
        const placed = error.position === undefined ? error : error.at(origin(error.position))
        throw withoutOwnText(placed, asked)
      })
      const elapsedMs = Date.now() - started
      const { withoutSecrets } = dialect
      if (reading.verb !== 'show' || !withoutSecrets) return { ...answer, elapsedMs }
      const rows = answer.rows.map((row) => row.map((cell) => withoutSecrets(cell)))
      return { ...answer, rows, elapsedMs }
    },
  }
}

/** True if a number certainly arrived as it was written. Past 2^53, JSON could have rounded it. */
const isExact = (value: Param) => !Number.isInteger(value) || Number.isSafeInteger(value)
