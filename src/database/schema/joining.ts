import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { QueryContext, Rows, Statement } from '../rows.ts'
import type { Sessions } from '../sessions.ts'

/** A question waiting for other questions of the same call. */
interface Waiting {
  readonly question: Statement
  readonly limits: QueryContext
  resolve(answer: Rows | Promise<Rows>): void
  reject(reason: unknown): void
}

/**
 * Wraps a database so that catalog questions that a call asks at the same time go out as one statement. Where
 * each statement is a separate request, that is one request instead of four. It joins only our own
 * statements, from one call, with the same limits.
 */
export function joining(database: Database): Database {
  const { joining } = database.dialect
  if (!joining) return database
  const waiting = new WeakMap<Sessions, Waiting[]>()
  /** False once the server has refused a joined statement, because the next one could also be too complex for it. */
  let isTaken = true

  async function answer(all: readonly Waiting[]): Promise<void> {
    const answers = isTaken && all.length > 1 ? await joined(all) : undefined
    for (const [n, { question, limits, resolve }] of all.entries()) {
      resolve(answers ? answers[n]! : database.query(question, limits))
    }
  }

  /** The answers from one joined statement. Undefined if they are too long, or if the server refuses the statement. */
  async function joined(all: readonly Waiting[]): Promise<readonly Rows[] | undefined> {
    const { limits } = all[0]!
    const questions = all.map(({ question }) => question)
    try {
      const statement = { ...joining!.of(questions, limits.maxRows + 1), internal: true }
      const { rows, ...rest } = await database.query(statement, limits)
      if (rest.truncated) return undefined
      return joining!.read(rows, questions.length).map((rows) => ({ ...rest, columns: [], rows }))
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      if (error.kind !== 'sql' && error.kind !== 'refused' && error.kind !== 'too_large')
        throw error
      isTaken &&= error.kind === 'too_large'
      return undefined
    }
  }

  return {
    ...database,
    query(question, limits) {
      const { sessions } = limits
      if (question.shape === undefined || !sessions) return database.query(question, limits)
      return new Promise((resolve, reject) => {
        const asked = { question, limits, resolve, reject }
        const others = waiting.get(sessions)
        if (others) return void others.push(asked)
        const all = [asked]
        waiting.set(sessions, all)
        // Runs after this turn, when all its questions have been collected.
        setTimeout(() => {
          waiting.delete(sessions)
          for (const some of Map.groupBy(all, boundsOf).values()) {
            answer(some).catch((error) => {
              for (const it of some) it.reject(error)
            })
          }
        }, 0)
      })
    },
  }
}

/** Questions with the same bounds can be joined. A call has one signal. */
const boundsOf = ({ limits: { maxRows, maxBytes, timeoutMs, identity, trace } }: Waiting) =>
  JSON.stringify([maxRows, maxBytes, timeoutMs, identity, trace])
