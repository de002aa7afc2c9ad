import type { Database } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { type OperatorStatement, ROLE_LIMITS } from '../role.ts'
import type { Limits, Param, Statement } from '../rows.ts'
import { explain } from '../statements/explain.ts'

/**
 * Tells which tools of the operator the database cannot prepare, a sentence each. Their statements are
 * planned with values of their parameters' types, and never run.
 */
export async function unprepared(
  database: Database,
  tools: readonly OperatorStatement[],
  limits: Pick<Limits, 'timeoutMs' | 'signal'>,
): Promise<string[]> {
  const problem = (statement: Statement) =>
    explain(database, statement, { ...limits, ...ROLE_LIMITS }).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error
        // An error of the database has a code. Statements without a plan, such as SHOW, we refuse ourselves.
        return error.kind === 'refused' && !error.code ? undefined : error.message
      },
    )
  // ClickHouse before 20.6 plans no statement.
  if (tools.length === 0 || (await problem({ sql: 'select 1' })) !== undefined) return []
  const sentences: string[] = []
  for (const { name, sql, params } of tools) {
    const found = await problem({ sql, params: params.map(example) })
    if (found !== undefined) sentences.push(`Its tool ${name} cannot be prepared: ${found}`)
  }
  return sentences
}

/** A value that a parameter may have. For a text it is NULL: a made-up one may have the wrong form. */
function example(param: OperatorStatement['params'][number]): Param {
  const { type, default: fallback, values, min } = param
  const known = fallback ?? values?.[0] ?? min
  if (known !== undefined) return known as Param
  switch (type) {
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'date':
      return '2026-01-31'
    default:
      return null
  }
}
