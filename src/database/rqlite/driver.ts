import type { Driver, Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Answer, Limits, Param, Statement } from '../rows.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { decodeExact, type Exact, encodeExact, withinBytes } from '../sqlite/exact.ts'
import { withoutExplain } from '../sqlite/explain-prefix.ts'
import { heading } from '../sqlite/heading.ts'
import { assertReads } from '../sqlite/program.ts'
import { Proofs } from '../sqlite/proofs.ts'
import { ONE_STATEMENT, unwrapped } from '../sqlite/single.ts'
import { commonClass } from '../sqlite/values.ts'
import { startDeadline } from '../transport/deadline.ts'
import { cap } from '../transport/row-cap.ts'
import { isHttps } from '../transport/url.ts'
import { addressOf } from './address.ts'
import { type Send, sender, type Table } from './http.ts'
import { inspectRole } from './roles.ts'

/**
 * rqlite, SQLite on several machines, by HTTP: `rqlite://user:password@host:4001?level=weak`, or
 * `rqlites://`, which is HTTPS. The port is 4001 if left out.
 */
export const rqlite: Driver = {
  name: 'rqlite',
  opens: ({ protocol }) => /^rqlites?:$/.test(protocol),
  open(url, io: Io) {
    const address = addressOf(url)
    const proofs = new Proofs<number>()
    return {
      dialect: { ...sqlite, inspectRole },
      tls: isHttps(address),
      refusesBy:
        'on a connection that SQLite opened for reading, after it has shown that their program writes nothing',
      query: (statement, limits) =>
        read(sender(address, startDeadline(limits), limits, io), statement, limits, proofs),
    }
  },
}

/**
 * Runs one statement, in three trips, or one for a text that was proved within a minute. A node opens its
 * database read-only for a query, but it takes a text of several statements; so nothing runs before SQLite
 * has shown that the text is one query, and that its program writes nothing. Then it runs within our own
 * query, which caps it and keeps its values exact. Column names and declared types come from the query
 * itself, but not the values: rqlite changes those of date and boolean columns.
 */
async function read(
  send: Send,
  { sql, params = [] }: Statement,
  limits: Limits,
  proofs: Proofs<number>,
) {
  const values = params.map(argument)
  const [explain, query] = withoutExplain(sql)

  /** How many columns a query has that writes nothing. */
  async function prove(): Promise<number> {
    await assertSingle(send, query, values)
    const [program] = await send([[`explain ${query}`, ...values]])
    const { rows } = program!
    assertReads(rows)
    const [, , , columns] = rows.find(([, opcode]) => opcode === 'ResultRow') ?? []
    return Number(columns)
  }

  return proofs.run(query, prove, async (width) => {
    if (explain) {
      const [plan] = await send([[explain + query, ...values]])
      return answer(plan!, plan!, limits)
    }
    const { maxRows, maxBytes } = limits
    const [head, table] = await send([
      [heading({ sql: query, params: values }), ...values],
      [withinBytes(encodeExact(query, width, maxRows + 1), width, maxBytes), ...values],
    ])
    return answer(head!, table!, limits)
  })
}

/**
 * Throws unless SQLite itself shows that a text is one query.
 *
 * If a text has several statements, rqlite answers the last one. So the text is put in parentheses, in
 * a SELECT that begins with a random value. If the answer is a program with this value, the first
 * statement is also the last, and only a query can be between the parentheses.
 */
async function assertSingle(send: Send, query: string, values: readonly Value[]): Promise<void> {
  const proof = crypto.randomUUID()
  const ask = (end: string) =>
    send([[`explain select '${proof}' from (${query}\n${end}`, ...values]])
  const [program] = await ask(')').catch(async (error: DatabaseError) => {
    if (error.message !== NEAR_END) throw inQuery(error, query)
    // The error may be about the parenthesis that we added. Then SQLite refuses a `]` there, too.
    const other = await ask(']').catch((thrown: DatabaseError) => thrown)
    const ours = other instanceof DatabaseError && other.message.startsWith('unrecognized token')
    throw ours ? new DatabaseError('sql', 'incomplete input') : error
  })
  if (!program!.rows.some((row) => row.includes(proof)))
    throw new DatabaseError('refused', ONE_STATEMENT)
}

const NEAR_END = 'near ")": syntax error'

/** The error of the wrapped text, as one of the query. */
const inQuery = (error: DatabaseError, query: string) =>
  error.kind === 'sql' && error.hint === undefined ? unwrapped(error, query) : error

type Value = null | number | string

/** A value as rqlite takes it. Throws {@link DatabaseError} for a text that it would read as bytes. */
function argument(param: Param): Value {
  if (typeof param === 'string' && HEX.test(param)) {
    throw new DatabaseError('sql', "rqlite would read a parameter of the form x'…' as bytes.", {
      hint: 'Write this text into the statement instead, between single quotes.',
    })
  }
  return typeof param === 'boolean' ? Number(param) : param
}

const HEX = /^[\s\u0085]*x'(?:[\da-f]{2})*'[\s\u0085]*$/i

function answer(head: Table, { rows }: Table, limits: Limits): Answer {
  const exact: Exact[][] = rows.map((row) => row.map(decodeExact))
  const shown = exact.slice(0, limits.maxRows)
  return {
    columns: head.columns.map((name, i) => ({
      name,
      type: head.types[i] || commonClass(shown.map((row) => row[i]?.type ?? 'null')),
    })),
    ...cap(
      exact.map((row) => row.map(({ cell }) => cell)),
      limits,
    ),
  }
}
