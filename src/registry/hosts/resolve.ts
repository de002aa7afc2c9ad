import * as z from 'zod/mini'
import { BoundedMap } from '../../ground/index.ts'

/** Finds all IPv4 and IPv6 addresses for a name. Throws if it is not certain that these are all. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Resolves names through Cloudflare's DNS over HTTPS. `node:dns` in a Worker does the same, but
 * needs Node's compatibility flags.
 */
export const dnsOverHttps =
  (fetch: typeof globalThis.fetch): Resolve =>
  async (host, signal) => {
    const answers = await Promise.all(RECORDS.map((it) => ask(fetch, host, it, signal)))
    return answers.flat()
  }

/** The record types that hold an address. */
const RECORDS = [
  { type: 'A', number: 1 },
  { type: 'AAAA', number: 28 },
]

/** Statuses for a name that exists and for one that does not. Every other status leaves that open. */
const NO_ERROR = 0
const NO_SUCH_NAME = 3

// https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
const Answer = z.object({
  Status: z.number(),
  /** True if the response was truncated. */
  TC: z.optional(z.boolean()),
  Answer: z.optional(z.array(z.object({ type: z.number(), data: z.string() }))),
})

async function ask(
  fetch: typeof globalThis.fetch,
  name: string,
  { type, number }: (typeof RECORDS)[number],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const url = `https://cloudflare-dns.com/dns-query?${new URLSearchParams({ name, type })}`
  const headers = { accept: 'application/dns-json' }
  const response = await fetch(url, { headers, redirect: 'manual', signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The resolver answered with status ${response.status}.`)
  }
  const { Status: status, TC: cut, Answer: records = [] } = Answer.parse(await response.json())
  if ((status !== NO_ERROR && status !== NO_SUCH_NAME) || cut) {
    throw new Error(`The resolver found no certain answer (${status}).`)
  }
  // The other records are aliases, which the resolver has followed.
  return records.filter((record) => record.type === number).map(({ data }) => data)
}

const KEPT_MS = 60_000
const KEPT_HOSTS = 1_000

/** Resolves a name at most once a minute, because it is checked each time a database is opened. */
export function onceAMinute(resolve: Resolve): Resolve {
  const kept = new BoundedMap<readonly string[]>({ entries: KEPT_HOSTS, ttlMs: KEPT_MS })
  return async (host, signal) => {
    const known = kept.get(host)
    if (known) return known
    // Stores the addresses, not the promise: another request can end before its own work is done.
    const addresses = await resolve(host, signal)
    if (addresses.length > 0) kept.set(host, addresses)
    return addresses
  }
}
