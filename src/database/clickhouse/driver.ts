import type { Driver, Io } from '../database.ts'
import type { Answer, Limits, Statement } from '../rows.ts'
import { startDeadline } from '../transport/deadline.ts'
import { isHttps } from '../transport/url.ts'
import { type Address, addressOf } from './address.ts'
import { bind } from './bind.ts'
import { clickhouse as dialect } from './dialect.ts'
import { roleFault } from './error.ts'
import { exchange, FINAL_STATUS, type QueryContext } from './http.ts'
import { negotiate } from './negotiate.ts'
import { type Capabilities, QUESTION, settings, withoutLacking } from './server-capabilities.ts'

/**
 * ClickHouse by its HTTP interface: `clickhouse://user:password@host:8123/database`, or
 * `clickhouses://`, which is HTTPS at port 8443. User and database are `default` if left out.
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

/** Room for the answer to {@link QUESTION}. */
const QUESTION_LIMITS = { maxRows: 100, maxBytes: 100_000 }

/** Runs one statement so that it can only read, with settings that the server takes. */
async function read(
  address: Address,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Answer> {
  const sql = bind(statement)
  const asked = { sql: sql === statement.sql ? sql : undefined, ...address, ...limits }
  const context: QueryContext = { address, asked, deadline: startDeadline(limits), io }
  const { role } = limits.identity ?? {}
  return negotiate(
    JSON.stringify([address.endpoint, address.user, role]),
    (capabilities) =>
      exchange(
        context,
        withoutLacking(sql, capabilities),
        parametersOf(capabilities, limits),
        limits,
      ),
    () => exchange(context, QUESTION, {}, { ...limits, ...QUESTION_LIMITS }),
  ).catch((error) => {
    throw role === undefined ? error : roleFault(error)
  })
}

function parametersOf(capabilities: Capabilities, limits: Limits): Record<string, string> {
  // For a user who may set no bounds, the server must not gather all rows before it answers.
  const { role } = limits.identity ?? {}
  return {
    ...settings(capabilities, limits),
    ...(capabilities.free && FINAL_STATUS),
    // The only role of the request. Before 24.4 there is no such parameter, and the server refuses it.
    ...(role !== undefined && { role }),
  }
}
