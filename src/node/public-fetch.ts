/**
 * `fetch` for what strangers have us fetch, such as the metadata document of an app: it reaches public addresses
 * alone. In a Worker the platform sees to that. Builds for Node put this in place of the `fetch` of the modules
 * that fetch such things.
 *
 * @module
 */

import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { isPublicAddress } from '../registry/index.ts'

/** Fetches from public addresses. The names are looked up when it connects, so no second look can differ. */
export const publicFetch = publicFetchBy(systemLookup)

/** The same, by another way to look up names. */
export function publicFetchBy(lookup: Lookup): typeof fetch {
  let agent: Dispatcher | undefined
  return async (input, init) => {
    const { Agent, buildConnector, fetch } = await import('undici')
    agent ??= new Agent({
      // A name is looked up. An address is not.
      connect: refusing(buildConnector({ timeout: CONNECT_MS, lookup: publicOnly(lookup) })),
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    })
    const { dispatcher: _, ...own } = (init ?? {}) as { dispatcher?: unknown }
    return fetch(input as never, { ...own, dispatcher: agent } as never) as never
  }
}

const CONNECT_MS = 10_000
const ANSWER_MS = 30_000

type Lookup = typeof systemLookup
type Connector = ReturnType<typeof import('undici').buildConnector>

const refusing =
  (connect: Connector): Connector =>
  (options, callback) => {
    const address = options.hostname.replace(/^\[(.*)\]$/, '$1')
    if (/^[\d.]+$|:/.test(address) && !isPublicAddress(address)) return callback(refusal(), null)
    return connect(options, callback)
  }

/** Looks up a name. Where one of its addresses is private, none is given. */
const publicOnly =
  (lookup: Lookup): LookupFunction =>
  (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      if (error) return callback(error, [])
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(refusal(), [])
      if (options.all) return callback(null, addresses)
      const [{ address, family } = { address: '', family: 4 }] = addresses
      return callback(null, address, family)
    })
  }

const refusal = () => new Error('This is no public address.')
