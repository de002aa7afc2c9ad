import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { described, failure, fromWire, toWire, type Wire } from './hrana-values.ts'

/** A statement, or the id of a stored one, and its values. */
export interface Stmt {
  readonly sql?: string
  readonly sql_id?: number
  readonly args?: readonly Wire[]
  readonly named_args?: readonly { readonly name: string; readonly value: Wire }[]
}

interface Condition {
  readonly type: string
  readonly step?: number
  readonly cond?: Condition
  readonly conds?: readonly Condition[]
}

/** A statement of a batch, and the condition for it. */
export interface Step {
  readonly stmt: Stmt
  readonly condition?: Condition | null
}

/** Runs one statement to its end. */
export function execute(database: DatabaseSync, sql: string, { args, named_args }: Stmt) {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const named = Object.fromEntries(
    (named_args ?? []).map(({ name, value }) => [name, fromWire(value)]),
  )
  const bound = [...(named_args ? [named] : []), ...(args ?? []).map(fromWire)] as SQLInputValue[]
  const rows = statement.all(...(bound as [])) as unknown as unknown[][]
  const counted = database.prepare('select changes() as changes, last_insert_rowid() as last').get()
  return {
    cols: described(statement),
    rows: rows.map((row) => row.map(toWire)),
    affected_row_count: counted!.changes,
    last_insert_rowid: String(counted!.last),
  }
}

/** Runs the statements of a batch whose conditions hold. */
export function executeAll(
  db: DatabaseSync,
  steps: readonly Step[],
  textOf: (stmt: Stmt) => string,
) {
  const step_results: unknown[] = []
  const step_errors: unknown[] = []
  const holds = (it: Condition | null | undefined): boolean => {
    switch (it?.type) {
      case 'ok':
        return step_results[it.step!] !== null
      case 'error':
        return step_errors[it.step!] !== null
      case 'not':
        return !holds(it.cond)
      case 'and':
        return it.conds!.every(holds)
      case 'or':
        return it.conds!.some(holds)
      case 'is_autocommit':
        return !db.isTransaction
      default:
        return true
    }
  }
  for (const [step, { stmt, condition }] of steps.entries()) {
    step_results[step] = step_errors[step] = null
    if (!holds(condition)) continue
    try {
      step_results[step] = execute(db, textOf(stmt), stmt)
    } catch (thrown) {
      step_errors[step] = failure(thrown, textOf(stmt))
    }
  }
  return { step_results, step_errors }
}

/** True if a text has several statements. Only Node's SQLite shows where the first one ends. */
export function isMany(file: string, sql: string): boolean {
  const database = new DatabaseSync(file)
  try {
    return /\S/.test(sql.slice(database.prepare(sql).sourceSQL.length))
  } catch {
    return false
  } finally {
    database.close()
  }
}
