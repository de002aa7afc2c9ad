import { type Database, DatabaseError, type Param, type TimeLimits } from '../../database/index.ts'
import type { ClaimParam, ModelParam } from '../config/custom-tool-config.ts'
import type { Endpoint } from '../config/endpoint.ts'
import { planFault, TRIVIAL } from '../questions/plan-fault.ts'

/** Messages about the operator's tools that the database cannot plan with example values. No tool is run. */
export async function unprepared(
  database: Database,
  name: string,
  { tools = [] }: Endpoint,
  limits: TimeLimits,
): Promise<string[]> {
  const own = tools
    .filter((it) => typeof it !== 'string')
    .filter((it) => (it.database ?? name) === name)
  if (own.length === 0 || (await planFault(database, TRIVIAL, limits))) return []
  const sentences: string[] = []
  for (const { name, sql, params } of own) {
    // The database plans other statements, so every error is about this one.
    const fault = await planFault(database, { sql, params: params.map(example) }, limits).catch(
      (error: unknown) => {
        if (error instanceof DatabaseError) return error
        throw error
      },
    )
    if (fault) sentences.push(`Its tool ${name} cannot be prepared: ${fault.message}`)
  }
  return sentences
}

const EXAMPLES = { integer: 1, number: 1, boolean: true, date: '2026-01-31', string: null } as const

/** An example value for a parameter. For a string it is NULL, since an invented one could have the wrong format. */
function example(param: ModelParam | ClaimParam): Param {
  if (!('type' in param)) return null
  const { type, default: fallback, values, min } = param
  return fallback ?? values?.[0] ?? min ?? EXAMPLES[type]
}
