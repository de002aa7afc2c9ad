import { rowTooLarge } from '../error.ts'
import type { Statement } from '../rows.ts'
import { type ByteBudget, type Room, unread } from '../transport/byte-budget.ts'
import type { Result } from './answer.ts'
import type { default as Client, Query } from './pg.mjs'
import { failure } from './tcp-error.ts'

/** What came back. */
export interface Reading extends Result {
  /** Whether there was too much of it to be read to the end. */
  readonly cut: boolean
}

/** Values are read by `values.ts`, from the text that the server sends. */
const raw = { getTypeParser: () => (text: string) => text }

/** A statement, and one of our own that has to succeed before the server reads it. */
export interface Sent extends Statement {
  readonly behind?: string | undefined
}

/**
 * Sends one statement, and collects its rows until its answer ends or its room is spent. It goes
 * by the extended protocol, which refuses a text that holds more than one statement.
 */
export function query(
  PgClient: typeof Client,
  client: Client,
  { sql, params = [], behind }: Sent,
  budget: ByteBudget,
  room: Room,
  timeoutMs: number,
): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const rows: (string | null)[][] = []
    let fields: Result['fields'] = []
    const query = new PgClient.Query({
      text: sql,
      values: params,
      rowMode: 'array',
      queryMode: 'extended',
      types: raw,
    })
    if (behind !== undefined) sendBehind(query, behind)
    query.on('row', (row, result) => {
      fields = result.fields
      rows.push(row)
    })
    query.on('end', (result) => resolve({ fields: result.fields, rows, cut: false }))
    query.on('error', (error) => reject(failure(error, timeoutMs)))
    void budget.spent.then(() => {
      if (budget.spentBy !== room) reject(unread)
      else if (rows.length > 0) resolve({ fields, rows, cut: true })
      else reject(rowTooLarge())
    })
    client.query(query)
  })
}

/**
 * Has a query sent behind a statement that returns no rows, under one Sync: where that one fails, the server
 * skips what follows it.
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
