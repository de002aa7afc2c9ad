import { rowTooLarge, unreachable } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { type ByteBudget, type Room, unread } from '../transport/byte-budget.ts'
import type { Answer, Field, default as Library } from './mysql2.mjs'
import type { Connection } from './tcp-connection.ts'
import { failure } from './tcp-error.ts'
import type { Raw } from './values.ts'

/** What came back, and whether there was too much of it to be read to the end. */
export interface Reading {
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly Raw[])[]
  readonly cut: boolean
}

/** Values as they are bound: MySQL takes no double as a LIMIT. */
export const boundValues = (
  { TypedParameter: { LONGLONG } }: typeof Library,
  { params = [] }: Statement,
): readonly unknown[] => params.map((it) => (Number.isSafeInteger(it) ? LONGLONG(Number(it)) : it))

/** Starts an answer, and collects its rows until it ends or the budget is spent. */
export function collect(
  connection: Connection,
  start: () => Answer | undefined,
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
