import { rowTooLarge, unreachable } from '../../error.ts'
import type { Answer, Limits, Statement } from '../../rows.ts'
import { type ByteBudget, type ByteRoom, unread } from '../../transport/byte-budget.ts'
import { cappedAnswer } from '../../transport/row-cap.ts'
import type { Field, Answer as Incoming, default as Library } from '../mysql2.mjs'
import { typeOfField } from '../types.ts'
import { type Raw, readValue } from '../values.ts'
import type { MysqlConnection } from './connection.ts'
import { failure } from './error.ts'

/** A result. `cut`: true if it was too large to read to the end. */
export interface ReadAnswer {
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly Raw[])[]
  readonly cut: boolean
}

/** Converts a result to the form that a query returns. */
export function answerOf({ fields, rows, cut }: ReadAnswer, limits: Limits): Answer {
  const types = fields.map(typeOfField)
  const columns = fields.map(({ name }, i) => ({ name, type: types[i]!.name }))
  const read = (row: readonly Raw[]) => row.map((raw, i) => readValue(raw, types[i]!))
  return cappedAnswer(columns, rows, read, limits, cut)
}

/** Converts values to the form in which they are bound. MySQL does not accept a double as a LIMIT. */
export const boundValues = (
  { TypedParameter: { LONGLONG } }: typeof Library,
  { params = [] }: Statement,
): readonly unknown[] => params.map((it) => (Number.isSafeInteger(it) ? LONGLONG(Number(it)) : it))

/** Starts a result, and collects its rows until it ends or the budget is spent. */
export function collect(
  connection: MysqlConnection,
  start: () => Incoming | undefined,
  budget: ByteBudget,
  room: ByteRoom,
  { maxRows, timeoutMs }: Limits,
): Promise<ReadAnswer> {
  return new Promise((resolve, reject) => {
    const rows: Raw[][] = []
    let fields: readonly Field[] = []
    const stop = () => {
      if (budget.spentBy !== room) reject(unread)
      else if (rows.length > 0) resolve({ fields, rows, cut: true })
      else reject(rowTooLarge())
    }
    // An error after reading has stopped does not affect the rows that were read.
    const fail = (error: unknown) => (budget.isSpent ? stop() : reject(failure(error, timeoutMs)))
    void budget.spent.then(stop)
    // A broken connection does not end a statement.
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
