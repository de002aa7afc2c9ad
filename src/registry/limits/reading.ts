import type { Caller } from '../../mcp/index.ts'
import type { Meter } from './object.ts'
import { callerKey, callerMeter, endpointMeter, type Use } from './use.ts'

/**
 * Today's usage of an endpoint, or of one caller there. It is counted only if the endpoint limits it.
 * Otherwise it is zero. For a caller without a key, pass the address.
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
