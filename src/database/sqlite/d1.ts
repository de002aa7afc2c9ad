import type { Driver } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Answer, Limits, Statement } from '../rows.ts'
import { startDeadline } from '../transport/deadline.ts'
import { cap } from '../transport/row-cap.ts'
import { byApi, byBinding, type Send, type Table } from './d1-send.ts'
import { sqlite } from './dialect.ts'
import { sqliteError } from './error.ts'
import { decodeExact, encodeExact, withinBytes } from './exact.ts'
import { withoutExplain } from './explain-prefix.ts'
import { heading } from './heading.ts'
import { assertReads } from './program.ts'
import { Proofs } from './proofs.ts'
import { judge, ONE_STATEMENT, probe } from './single.ts'
import { commonClass } from './values.ts'

/** Cloudflare D1: `d1:NAME`, a binding of the Worker, or `d1://:TOKEN@ACCOUNT/DATABASE` by its API. */
export const d1: Driver = {
  name: 'd1',
  opens: ({ protocol }) => protocol === 'd1:',
  open(url, io) {
    const send = url.host ? byApi(url, io) : byBinding(url.pathname, io)
    const proofs = new Proofs<number>()
    return {
      dialect: sqlite,
      tls: url.host ? true : undefined,
      // D1 has no session that only reads.
      refusesBy:
        'after SQLite has shown that they are one query, and that its program writes nothing',
      query(statement, limits) {
        return read(send, statement, limits, proofs).catch((thrown) => {
          throw thrown instanceof DatabaseError ? thrown : sqliteError(thrown)
        })
      },
    }
  },
}

/**
 * Three turns, or one for a text that was proved within a minute. D1 has no read-only session and no
 * transaction that could be rolled back, so nothing runs before SQLite has shown that it is one query, and
 * that its program writes nothing. Then it runs inside our own query, which caps it and keeps its values
 * exact. Beside that, a second query asks for the names of its columns.
 */
async function read(send: Send, statement: Statement, limits: Limits, proofs: Proofs<number>) {
  const { sql, params = [] } = statement
  const deadline = startDeadline(limits)
  const values = params.map((it) => (typeof it === 'boolean' ? Number(it) : it))
  const ask = (text: string) => send(text, values, deadline)
  const [explain, query] = withoutExplain(sql)

  /** How many columns a query has that writes nothing. */
  async function prove(): Promise<number> {
    const proof = await send(probe(query), [], deadline).then(
      () => new DatabaseError('refused', ONE_STATEMENT),
      (thrown: unknown) => thrown,
    )
    judge(proof, query)
    // As a table it runs like the pragma, in a program that EXPLAIN does not show.
    if (/pragma_optimize/i.test(query)) {
      throw new DatabaseError('refused', 'pragma_optimize is not allowed here.')
    }
    const program = await ask(`explain ${query}`)
    assertReads(program.rows)
    return columnsOf(program)
  }

  return proofs.run(query, prove, async (width) => {
    if (explain) return answer(await ask(explain + query), limits)
    const { maxRows, maxBytes } = limits
    const [{ columns }, { rows }] = await Promise.all([
      ask(heading(statement)),
      ask(withinBytes(encodeExact(query, width, maxRows + 1), width, maxBytes)),
    ])
    return answer({ columns, rows }, limits)
  })
}

/** How many columns the rows of a program have. */
function columnsOf({ rows }: Table): number {
  const [, , , columns] = rows.find(([, opcode]) => opcode === 'ResultRow') ?? []
  return Number(columns)
}

function answer({ columns, rows }: Table, limits: Limits): Answer {
  const exact = rows.map((row) => row.map(decodeExact))
  const shown = exact.slice(0, limits.maxRows)
  return {
    columns: columns.map((name, i) => ({
      name,
      type: commonClass(shown.map((row) => row[i]?.type ?? 'null')),
    })),
    ...cap(
      exact.map((row) => row.map(({ cell }) => cell)),
      limits,
    ),
  }
}
