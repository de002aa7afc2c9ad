import type { Driver } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { QueryContext, Statement } from '../rows.ts'
import { startDeadline } from '../transport/deadline.ts'
import { byApi, byBinding, type SendD1 } from './d1-send.ts'
import { sqlite } from './dialect.ts'
import { sqliteError } from './error.ts'
import { decodeExact, encodeExact, exactAnswer, withinBytes } from './exact.ts'
import { withoutExplain } from './explain-prefix.ts'
import { heading } from './heading.ts'
import { assertReads, widthOf } from './program.ts'
import { Proofs } from './proofs.ts'
import { judge, ONE_STATEMENT, probe } from './single.ts'

/** Cloudflare D1: `d1:NAME` through a Worker binding, or `d1://:TOKEN@ACCOUNT/DATABASE` through its API. */
export const d1: Driver = {
  name: 'd1',
  opens: ({ protocol }) => protocol === 'd1:',
  open(url, io) {
    const send = url.host ? byApi(url, io) : byBinding(url.pathname, io)
    const proofs = new Proofs<number>()
    return {
      dialect: sqlite,
      tls: url.host ? true : undefined,
      refusesBy:
        'after SQLite has shown that they are one query, and that its program does not write',
      query(statement, limits) {
        return read(send, statement, limits, proofs).catch((thrown) => {
          throw thrown instanceof DatabaseError ? thrown : sqliteError(thrown)
        })
      },
    }
  },
}

/**
 * Runs one statement in three round trips, or in one if the same statement was proved within the last minute. D1
 * has no read-only sessions, and no transactions that could be rolled back. So nothing runs until SQLite has
 * shown that the statement is one query, and that its program does not write. Then it runs inside our own query,
 * which limits it and keeps its values exact. At the same time, a second query requests its column names.
 */
async function read(
  send: SendD1,
  statement: Statement,
  limits: QueryContext,
  proofs: Proofs<number>,
) {
  const { sql, params = [] } = statement
  const deadline = startDeadline(limits)
  const values = params.map((it) => (typeof it === 'boolean' ? Number(it) : it))
  const ask = (text: string) => send(text, values, deadline)
  const [explain, query] = withoutExplain(sql)

  /** Proves that a query does not write, and returns its number of columns. */
  async function prove(): Promise<number> {
    const proof = await send(probe(query), [], deadline).then(
      () => new DatabaseError('refused', ONE_STATEMENT),
      (thrown: unknown) => thrown,
    )
    judge(proof, query)
    // Reading it as a table runs the pragma, in a program that EXPLAIN does not show.
    if (/pragma_optimize/i.test(query)) {
      throw new DatabaseError('refused', 'pragma_optimize is not allowed here.')
    }
    const { rows } = await ask(`explain ${query}`)
    assertReads(rows)
    return widthOf(rows)
  }

  return proofs.run(query, prove, async (width) => {
    if (explain) {
      const plan = await ask(explain + query)
      return exactAnswer(plan.columns, plan.rows, limits, decodeExact)
    }
    const { maxRows, maxBytes } = limits
    const [{ columns }, { rows }] = await Promise.all([
      ask(heading(statement)),
      ask(withinBytes(encodeExact(query, width, maxRows + 1), width, maxBytes)),
    ])
    return exactAnswer(columns, rows, limits, decodeExact)
  })
}
