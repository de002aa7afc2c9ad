// `fetch` for URLs from strangers, such as an app's metadata document: it reaches only public addresses. In a Worker,
// the platform ensures that. Builds for Node replace `fetch` with this in the modules that fetch such URLs.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { publicHosts } from '../registry/index.ts'

/** Fetches from public addresses. Names are looked up on connecting, so no second lookup can differ. */
export const publicFetch = publicFetchBy(systemLookup)

/** The same, with a different function for looking up names. */
export function publicFetchBy(lookup: FetchLookup): typeof fetch {
  let agent: Dispatcher | undefined
  return async (input, init) => {
    const { Agent, buildConnector, fetch } = await import('undici')
    const { isPublicAddress } = await publicHosts()
    agent ??= new Agent({
      // The lookup checks names. An address is not looked up, so it is checked here.
      connect: refusing(
        buildConnector({ timeout: CONNECT_MS, lookup: publicOnly(lookup, isPublicAddress) }),
        isPublicAddress,
      ),
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    })
    const { dispatcher: _, ...own } = (init ?? {}) as { dispatcher?: unknown }
    return fetch(input as never, { ...own, dispatcher: agent } as never) as never
  }
}

const CONNECT_MS = 10_000
const ANSWER_MS = 30_000

type IsPublic = (address: string) => boolean
type FetchLookup = typeof systemLookup
type Connector = ReturnType<typeof import('undici').buildConnector>

const refusing =
  (connect: Connector, isPublic: IsPublic): Connector =>
  (options, callback) => {
    const address = options.hostname.replace(/^\[(.*)\]$/, '$1')
    if (/^[\d.]+$|:/.test(address) && !isPublic(address)) return callback(refusal(), null)
    return connect(options, callback)
  }

/** Looks up a name. Fails if one of its addresses is private. */
const publicOnly =
  (lookup: FetchLookup, isPublic: IsPublic): LookupFunction =>
  (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      if (error) return callback(error, [])
      if (!addresses.every(({ address }) => isPublic(address))) return callback(refusal(), [])
      if (options.all) return callback(null, addresses)
      const [{ address, family } = { address: '', family: 4 }] = addresses
      return callback(null, address, family)
    })
  }

const refusal = () => new Error('This is not a public address.')
