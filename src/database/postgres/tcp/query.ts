import { rowTooLarge } from '../../error.ts'
import type { Statement } from '../../rows.ts'
import { brokenAnswer } from '../../transport/broken-answer.ts'
import { type ByteBudget, type ByteRoom, unread } from '../../transport/byte-budget.ts'
import type { PostgresResult } from '../answer.ts'
import type { default as Client, Query } from '../pg.mjs'
import { failure } from './error.ts'

/** Leaves values in the server's text format, which `values.ts` converts. */
const raw = { getTypeParser: () => (text: string) => text }

/** A statement, with one of our own statements that must succeed before the server parses it. */
export interface SentStatement extends Statement {
  readonly behind?: string | undefined
}

/**
 * Sends one statement, and collects its rows until its result ends or reaches the size limit. It uses
 * the extended protocol, which refuses a string with more than one statement.
 */
export function query(
  PgClient: typeof Client,
  client: Client,
  { sql, params = [], behind }: SentStatement,
  budget: ByteBudget,
  room: ByteRoom,
  timeoutMs: number,
): Promise<PostgresResult> {
  return new Promise((resolve, reject) => {
    const rows: (string | null)[][] = []
    let fields: PostgresResult['fields'] = []
    const query = new PgClient.Query({
      text: sql,
      values: params,
      rowMode: 'array',
      // Otherwise a query without values uses the simple protocol, which allows several statements.
      queryMode: 'extended',
      types: raw,
    })
    if (behind !== undefined) sendBehind(query, behind)
    query.on('row', (row, result) => {
      fields = result.fields
      rows.push(row)
    })
    query.on('end', (result) => {
      // The server reports the number of rows it sent. A row that was lost in transit is an error.
      if (isMiscounted(result, rows.length)) reject(brokenAnswer())
      else resolve({ fields: result.fields, rows })
    })
    query.on('error', (error) => reject(failure(error, timeoutMs)))
    void budget.spent.then(() => {
      if (budget.spentBy !== room) reject(unread)
      else if (rows.length > 0) resolve({ fields, rows, cut: true })
      else reject(rowTooLarge())
    })
    client.query(query)
  })
}

/** True if the server reports a different number of fetched rows. */
const isMiscounted = (
  { command, rowCount }: { readonly command: string | null; readonly rowCount: number | null },
  rows: number,
) => command === 'FETCH' && typeof rowCount === 'number' && rowCount !== rows

/**
 * Sends a query after a statement that returns no rows, under one Sync: if that statement fails, the server
 * skips the query.
 */
function sendBehind(query: Query, sql: string): void {
  const { prepare, handleCommandComplete } = query
  let isPassed = false
  query.prepare = (connection) => {
    connection.parse({ text: sql })
    connection.bind({})
    connection.execute({})
    prepare.call(query, connection)
  }
  query.handleCommandComplete = (message, connection) => {
    if (isPassed) handleCommandComplete.call(query, message, connection)
    isPassed = true
  }
}
