import type { Caller } from '../../mcp/index.ts'
import { callerKey } from './caller-key.ts'
import type { Meter } from './object.ts'
import { callerMeter, endpointMeter, type Use } from './use.ts'

/**
 * What an endpoint has used today, or a caller at it. It is counted only if the endpoint limits it;
 * else it is zero. For a caller without a key, give its address.
 */
export async function usageOf(
  { METER }: { readonly METER: DurableObjectNamespace<Meter> },
  endpoint: string,
  caller?: Pick<Caller, 'subject'> | { readonly address: string },
): Promise<Use> {
  const name = caller ? callerMeter(endpoint, keyOf(caller)) : endpointMeter(endpoint)
  const { day, rows, bytes, running } = await METER.get(METER.idFromName(name)).enter()
  return { day, rows, bytes, running }
}

const keyOf = (caller: Pick<Caller, 'subject'> | { readonly address: string }) =>
  'subject' in caller
    ? callerKey({ ...caller, scopes: [] }, undefined)
    : callerKey(undefined, caller.address)
