import type { Driver, Io } from '../database.ts'
import type { Answer, QueryContext, Statement } from '../rows.ts'
import { startDeadline } from '../transport/deadline.ts'
import { isHttps } from '../transport/url.ts'
import { addressOf, type ClickHouseAddress } from './address.ts'
import { bind } from './bind.ts'
import { clickhouse as dialect } from './dialect.ts'
import { roleFault } from './error.ts'
import { type ExchangeContext, exchange, FINAL_STATUS } from './http.ts'
import { negotiate } from './negotiate.ts'
import { type Capabilities, QUESTION, settings, withoutLacking } from './server-capabilities.ts'

/**
 * ClickHouse over its HTTP interface: `clickhouse://user:password@host:8123/database`, or `clickhouses://`,
 * which is HTTPS on port 8443. The user and the database are `default` if left out.
 */
export const clickhouse: Driver = {
  name: 'clickhouse',
  opens: ({ protocol }) => /^clickhouses?:$/.test(protocol),
  open(url, io) {
    const address = addressOf(url)
    return {
      dialect: { ...dialect, schema: address.database },
      tls: isHttps(address),
      refusesBy: 'with the setting readonly = 1',
      applies: ['role'],
      query: (statement, limits) => read(address, statement, limits, io),
    }
  },
}

/** Limits for the result of {@link QUESTION}. */
const QUESTION_LIMITS = { maxRows: 100, maxBytes: 100_000 }

/** Runs one statement so that it can only read, with settings that the server accepts. */
async function read(
  address: ClickHouseAddress,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<Answer> {
  const sql = bind(statement)
  const asked = { sql: sql === statement.sql ? sql : undefined, ...address, ...limits }
  const context: ExchangeContext = { address, asked, deadline: startDeadline(limits), io }
  const { role } = limits.identity ?? {}
  return negotiate(
    JSON.stringify([address.endpoint, address.user, role]),
    (capabilities) =>
      exchange(
        context,
        // Only our own statements name such columns. In a caller's, the words can be part of a string.
        statement.internal ? withoutLacking(sql, capabilities) : sql,
        parametersOf(capabilities, limits),
        limits,
      ),
    () => exchange(context, QUESTION, {}, { ...limits, ...QUESTION_LIMITS }),
  ).catch((error) => {
    throw role === undefined ? error : roleFault(error)
  })
}

function parametersOf(capabilities: Capabilities, limits: QueryContext): Record<string, string> {
  // If the user cannot set limits, the server must not collect all rows before it answers.
  const { role } = limits.identity ?? {}
  return {
    ...settings(capabilities, limits),
    ...(capabilities.free && FINAL_STATUS),
    // The request's only role. Servers before 24.4 do not have this parameter, and refuse it.
    ...(role !== undefined && { role }),
  }
}
