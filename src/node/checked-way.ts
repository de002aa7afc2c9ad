import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { connect, type Socket } from 'node:net'
import { DatabaseError, type Machine } from '../database/index.ts'
import { withSentences } from './ssh/failure.ts'
import { fetchThrough } from './ssh/fetch.ts'

type MachineDial = NonNullable<Machine['dial']>

/** A machine's connections to databases that someone else entered. */
export interface CheckedWay {
  readonly dial: MachineDial
  readonly fetch: NonNullable<Machine['fetch']>
  close(): Promise<void>
}

/** The type of Node's function that finds the addresses of a name. */
export type CheckedLookup = typeof systemLookup

/**
 * Connects to a database whose URL was entered in the Console or over the API. A name is looked up once, all its
 * addresses are checked, and only these are dialed. So a DNS change after the check has no effect.
 *
 * @param allowed the hosts that the operator allows to be private
 * @param dial a replacement for the network, such as a tunnel, which then gets an address instead of the name
 */
export function checkedWay(
  allowed: readonly string[],
  dial: MachineDial = overNetwork,
  lookup: CheckedLookup = systemLookup,
): CheckedWay {
  const checked = withSentences(async (host, port, signal) => {
    const name = host.replace(/^\[(.*)\]$/, '$1')
    const addresses = await addressesOf(name, signal, lookup)
    // Loaded on first use: few machines need it.
    const { publicHosts } = await import('../registry/index.ts')
    const { mayReach } = await publicHosts()
    if (!addresses.every((it) => mayReach(host, it, allowed))) throw refusal()
    let failure: unknown
    for (const [i, address] of addresses.entries()) {
      // An address that does not answer must leave time for the next one.
      const isLast = i === addresses.length - 1
      const time = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)])
      try {
        return await dial(address, port, time)
      } catch (error) {
        if (signal.aborted) throw error
        failure = error
      }
    }
    throw failure
  })
  const fetch = fetchThrough(checked)
  return { dial: checked, fetch, close: fetch.close }
}

const ATTEMPT_MS = 2_500

/** Maximum number of addresses to try for a name. */
const MAX_ADDRESSES = 4

async function addressesOf(
  name: string,
  signal: AbortSignal,
  lookup: CheckedLookup,
): Promise<readonly string[]> {
  // A path is not a host: Unix sockets are not open to URLs that someone else entered.
  if (name === '' || name.includes('/')) throw refusal()
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
  const over = () => reject(signal.reason)
  signal.addEventListener('abort', over, { once: true })
  lookup(name, { all: true }, (error, found) => {
    if (error) reject(error)
    else resolve((found as readonly LookupAddress[]).map(({ address }) => address))
  })
  try {
    signal.throwIfAborted()
    return (await promise).slice(0, MAX_ADDRESSES)
  } finally {
    signal.removeEventListener('abort', over)
  }
}

const overNetwork: MachineDial = async (host, port, signal) => {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port }).setNoDelay(true).setKeepAlive(true)
  const over = () => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', over, { once: true })
  socket.once('error', reject).once('connect', () => resolve(socket))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', over)
    socket.off('error', reject)
    // The caller adds a listener only after it gets the socket.
    socket.on('error', () => {})
  }
}

const refusal = () =>
  new DatabaseError(
    'config',
    'Its host is not public, and not among the allowed private hosts. Test the endpoint for details.',
    { reason: 'host_private' },
  )
