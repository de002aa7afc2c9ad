import type { Endpoint } from '../../gateway/index.ts'
import type { Caller } from '../../mcp/index.ts'
import { callerKey } from './caller-key.ts'

/** Seconds in which the bindings count. When a count begins again, they do not say. */
const PERIOD_S = 60

/**
 * Counts a request of a caller at an endpoint. Gives back after how many seconds to try again if its
 * calls per minute are used up. Without the binding of this rate, nothing is limited.
 */
export async function rateLimit(
  { method, headers }: Request,
  caller: Caller | undefined,
  { name, limits }: Endpoint,
  env: object,
): Promise<number | undefined> {
  const rate = limits?.caller?.callsPerMinute
  if (rate === undefined || method !== 'POST') return undefined
  const binding = (env as Readonly<Record<string, unknown>>)[`RATE_${rate}`] as
    | RateLimit
    | undefined
  if (!binding) {
    console.error(`Endpoint ${name} has no limit of calls: wrangler.toml lacks RATE_${rate}.`)
    return undefined
  }
  const key = `${name} ${callerKey(caller, headers.get('cf-connecting-ip') ?? undefined)}`
  try {
    const { success } = await binding.limit({ key })
    return success ? undefined : PERIOD_S
  } catch (error) {
    console.error(
      `The calls at endpoint ${name} cannot be counted, so they are not limited.`,
      error,
    )
    return undefined
  }
}
