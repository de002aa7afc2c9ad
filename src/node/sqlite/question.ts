import type { Answer, DatabaseError, Param } from '../../database/index.ts'

/** What is asked of the process that reads a SQLite file. */
export interface Question {
  readonly path: string
  readonly sql: string
  readonly params: readonly Param[]
  readonly maxRows: number
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** What it answers: that it has the question, and then rows, or the parts of a DatabaseError. */
export type Reply =
  | 'begun'
  | { readonly answer: Answer }
  | { readonly error: Pick<DatabaseError, 'kind' | 'message' | 'code' | 'hint' | 'position'> }
