import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Limits, Rows, Statement } from '../rows.ts'
import type { Sessions } from '../sessions.ts'

/** A question that waits for others of the same call. */
interface Waiting {
  readonly question: Statement
  readonly limits: Limits
  resolve(answer: Rows | Promise<Rows>): void
  reject(reason: unknown): void
}

/**
 * The same database, but questions to the catalog that a call asks at once go out as one statement: where
 * each statement is a request of its own, that is one request instead of four. Only our own texts are
 * joined, and those of one call, under the same limits.
 */
export function joining(database: Database): Database {
  const { joining } = database.dialect
  if (!joining) return database
  const waiting = new WeakMap<Sessions, Waiting[]>()
  /** False once a server did not take a joined statement, which another may be too complex for. */
  let isTaken = true

  async function answer(all: readonly Waiting[]): Promise<void> {
    const answers = isTaken && all.length > 1 ? await joined(all) : undefined
    for (const [n, { question, limits, resolve }] of all.entries()) {
      resolve(answers ? answers[n]! : database.query(question, limits))
    }
  }

  /** The answers from one statement. None if they are too long, or if the server does not take it. */
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
        // When nothing else is asked in this turn.
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

/** Questions with the same bounds can be one statement. A call has one signal. */
const boundsOf = ({ limits: { maxRows, maxBytes, timeoutMs, identity, trace } }: Waiting) =>
  JSON.stringify([maxRows, maxBytes, timeoutMs, identity, trace])
