import type { Endpoint } from '../../gateway/index.ts'
import type { Caller } from '../../mcp/index.ts'
import { callerKey } from './use.ts'

/** Period of the rate limit bindings, in seconds. They do not report when a period starts. */
const PERIOD_S = 60

/**
 * Counts a caller's request to an endpoint. If the calls per minute are used up, returns the number of
 * seconds until the next try. Without a binding for this rate, nothing is limited.
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
    console.error(`Endpoint ${name} has no call limit: wrangler.toml lacks RATE_${rate}.`)
    return undefined
  }
  const key = `${name} ${callerKey(caller, headers.get('cf-connecting-ip') ?? undefined)}`
  try {
    const { success } = await binding.limit({ key })
    return success ? undefined : PERIOD_S
  } catch (error) {
    console.error(`Calls to endpoint ${name} cannot be counted, so they are not limited.`, error)
    return undefined
  }
}
