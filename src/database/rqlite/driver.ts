import type { Driver, Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { InspectRole } from '../role.ts'
import type { Param, QueryContext, Statement } from '../rows.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { decodeExact, encodeExact, exactAnswer, withinBytes } from '../sqlite/exact.ts'
import { withoutExplain } from '../sqlite/explain-prefix.ts'
import { heading } from '../sqlite/heading.ts'
import { assertReads, widthOf } from '../sqlite/program.ts'
import { Proofs } from '../sqlite/proofs.ts'
import { inspectRole as inspectSqlite } from '../sqlite/roles.ts'
import { ONE_STATEMENT, unwrapped } from '../sqlite/single.ts'
import { startDeadline } from '../transport/deadline.ts'
import { isHttps } from '../transport/url.ts'
import { addressOf } from './address.ts'
import { type SendRqlite, sender } from './http.ts'

/**
 * rqlite, SQLite on several machines, over HTTP: `rqlite://user:password@host:4001?level=weak`, or
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
        'on a connection that SQLite opened read-only, after it has shown that their program does not write',
      query: (statement, limits) =>
        read(sender(address, startDeadline(limits), limits, io), statement, limits, proofs),
    }
  },
}

/** Reports the known facts about an rqlite database. Its users are in a file on the server. */
const inspectRole: InspectRole = async (ask, by) => ({
  ...(await inspectSqlite(ask, by)),
  note: 'rqlite keeps its users and their permissions in a file, which no query can read. Give this user only the permission query, so that it cannot write.',
})

/**
 * Runs one statement in three round trips, or in one if the same statement was proved within the last minute. A
 * node opens its database read-only for a query, but it accepts several statements at once. So nothing runs until
 * SQLite has shown that there is only one query, and that its program does not write. Then it runs
 * inside our own query, which limits it and keeps its values exact. Column names and declared types come
 * from the query itself. Its values do not, because rqlite changes the values in date and boolean columns.
 */
async function read(
  send: SendRqlite,
  { sql, params = [] }: Statement,
  limits: QueryContext,
  proofs: Proofs<number>,
) {
  const values = params.map(argument)
  const [explain, query] = withoutExplain(sql)

  /** Proves that a query does not write, and returns its number of columns. */
  async function prove(): Promise<number> {
    await assertSingle(send, query, values)
    const [program] = await send([[`explain ${query}`, ...values]])
    const { rows } = program!
    assertReads(rows)
    return widthOf(rows)
  }

  return proofs.run(query, prove, async (width) => {
    if (explain) {
      const [plan] = await send([[explain + query, ...values]])
      return exactAnswer(plan!.columns, plan!.rows, limits, decodeExact, plan!.types)
    }
    const { maxRows, maxBytes } = limits
    const [head, table] = await send([
      [heading({ sql: query, params: values }), ...values],
      [withinBytes(encodeExact(query, width, maxRows + 1), width, maxBytes), ...values],
    ])
    return exactAnswer(head!.columns, table!.rows, limits, decodeExact, head!.types)
  })
}

/**
 * Throws unless SQLite itself shows that this SQL is one query.
 *
 * If there are several statements, rqlite returns the result of the last one. So the SQL is put in parentheses, in a
 * SELECT that starts with a random value. If the result is a program with this value, the first statement is
 * also the last, and only a query can be between the parentheses.
 */
async function assertSingle(
  send: SendRqlite,
  query: string,
  values: readonly RqliteValue[],
): Promise<void> {
  const proof = crypto.randomUUID()
  const ask = (end: string) =>
    send([[`explain select '${proof}' from (${query}\n${end}`, ...values]])
  const [program] = await ask(')').catch(async (error: DatabaseError) => {
    if (error.message !== NEAR_END) throw inQuery(error, query)
    // The error can be about the parenthesis that we added. In that case, SQLite also refuses a `]` in its place.
    const other = await ask(']').catch((thrown: DatabaseError) => thrown)
    const ours = other instanceof DatabaseError && other.message.startsWith('unrecognized token')
    throw ours ? new DatabaseError('sql', 'incomplete input') : error
  })
  if (!program!.rows.some((row) => row.includes(proof)))
    throw new DatabaseError('refused', ONE_STATEMENT)
}

const NEAR_END = 'near ")": syntax error'

/** Converts an error about the wrapped SQL to an error about the query. */
const inQuery = (error: DatabaseError, query: string) =>
  error.kind === 'sql' && error.hint === undefined ? unwrapped(error, query) : error

type RqliteValue = null | number | string

/** Converts a value for rqlite. Throws {@link DatabaseError} for a string that rqlite would read as bytes. */
function argument(param: Param): RqliteValue {
  if (typeof param === 'string' && HEX.test(param)) {
    throw new DatabaseError('sql', "rqlite would read a parameter of the form x'…' as bytes.", {
      hint: 'Write this text into the statement instead, between single quotes.',
    })
  }
  return typeof param === 'boolean' ? Number(param) : param
}

const HEX = /^[\s\u0085]*x'(?:[\da-f]{2})*'[\s\u0085]*$/i
