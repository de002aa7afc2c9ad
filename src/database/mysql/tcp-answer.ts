import { rowTooLarge, unreachable } from '../error.ts'
import type { Answer, Cell, Limits, Statement } from '../rows.ts'
import { type ByteBudget, type Room, unread } from '../transport/byte-budget.ts'
import { cap } from '../transport/row-cap.ts'
import type { Field, Answer as Incoming, default as Library } from './mysql2.mjs'
import type { Connection } from './tcp-connection.ts'
import { failure } from './tcp-error.ts'
import { typeOfField } from './types.ts'
import { type Raw, readValue, type Type } from './values.ts'

/** What came back, and whether there was too much of it to be read to the end. */
export interface Reading {
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly Raw[])[]
  readonly cut: boolean
}

/** An answer as a query has it. */
export function answerOf({ fields, rows, cut }: Reading, limits: Limits): Answer {
  const types = fields.map(typeOfField)
  const capped = cap(cells(rows, types), limits)
  return {
    columns: fields.map(({ name }, i) => ({ name, type: types[i]!.name })),
    rows: capped.rows,
    truncated: capped.truncated || (cut && 'bytes'),
  }
}

/** Reads the rows one by one, so that those beyond the cap are never read. */
function* cells(rows: readonly (readonly Raw[])[], types: readonly Type[]): Iterable<Cell[]> {
  for (const row of rows) yield row.map((raw, i) => readValue(raw, types[i]!))
}

/** Values as they are bound: MySQL takes no double as a LIMIT. */
export const boundValues = (
  { TypedParameter: { LONGLONG } }: typeof Library,
  { params = [] }: Statement,
): readonly unknown[] => params.map((it) => (Number.isSafeInteger(it) ? LONGLONG(Number(it)) : it))

/** Starts an answer, and collects its rows until it ends or the budget is spent. */
export function collect(
  connection: Connection,
  start: () => Incoming | undefined,
  budget: ByteBudget,
  room: Room,
  { maxRows, timeoutMs }: Limits,
): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const rows: Raw[][] = []
    let fields: readonly Field[] = []
    const stop = () => {
      if (budget.spentBy !== room) reject(unread)
      else if (rows.length > 0) resolve({ fields, rows, cut: true })
      else reject(rowTooLarge())
    }
    // An error after the last row that is read says nothing about the rows.
    const fail = (error: unknown) => (budget.isSpent ? stop() : reject(failure(error, timeoutMs)))
    void budget.spent.then(stop)
    // A connection that breaks ends no statement.
    void connection.broken.then(fail)
    const answer = start()
    if (!answer) return reject(unreachable())
    answer
      .on('fields', (it) => {
        fields = it ?? []
      })
      .on('result', (row) => {
        if (budget.isSpent || !Array.isArray(row)) return
        // The statement may have a larger LIMIT than ours.
        if (rows.length > maxRows) budget.spend()
        else rows.push(row)
      })
      .on('error', fail)
      .on('end', () => resolve({ fields, rows, cut: budget.isSpent }))
  })
}
