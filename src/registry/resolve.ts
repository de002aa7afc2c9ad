import * as z from 'zod/mini'

/** Asks for all IPv4 and IPv6 addresses of a name. Throws if it is not certain that these are all. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Resolves by DNS over HTTPS, at Cloudflare. That is also what `node:dns` does in a Worker, where it
 * needs Node's compatibility flags.
 */
export const dnsOverHttps =
  (fetch: typeof globalThis.fetch): Resolve =>
  async (host, signal) => {
    const answers = await Promise.all(
      RECORDS.map(({ type, number }) => ask(fetch, host, type, number, signal)),
    )
    return answers.flat()
  }

/** The records that hold an address. */
const RECORDS = [
  { type: 'A', number: 1 },
  { type: 'AAAA', number: 28 },
]

/** The name exists, or it does not. Every other status leaves that open. */
const NO_ERROR = 0
const NO_SUCH_NAME = 3

// https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
const Answer = z.object({
  Status: z.number(),
  /** Whether it was cut. */
  TC: z.optional(z.boolean()),
  Answer: z.optional(z.array(z.object({ type: z.number(), data: z.string() }))),
})

async function ask(
  fetch: typeof globalThis.fetch,
  name: string,
  type: string,
  number: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const response = await fetch(
    `https://cloudflare-dns.com/dns-query?${new URLSearchParams({ name, type })}`,
    { headers: { accept: 'application/dns-json' }, redirect: 'manual', signal },
  )
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The resolver answered with status ${response.status}.`)
  }
  const { Status: status, TC: cut, Answer: records = [] } = Answer.parse(await response.json())
  if ((status !== NO_ERROR && status !== NO_SUCH_NAME) || cut) {
    throw new Error(`The resolver found no certain answer (${status}).`)
  }
  // The others are the aliases on the way, which the resolver has followed.
  return records.filter((record) => record.type === number).map(({ data }) => data)
}

const KEPT_MS = 60_000
const KEPT_HOSTS = 1_000

/** Resolves a name once a minute, for checks that are made each time a database is opened. */
export function onceAMinute(resolve: Resolve, now: () => number = Date.now): Resolve {
  const kept = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>()
  return async (host, signal) => {
    const known = kept.get(host)
    if (known && now() < known.until) return known.addresses
    // Not the promise: another request may end before its own work is done.
    const addresses = await resolve(host, signal)
    kept.delete(host)
    if (kept.size >= KEPT_HOSTS) kept.delete(kept.keys().next().value!)
    if (addresses.length > 0) kept.set(host, { addresses, until: now() + KEPT_MS })
    return addresses
  }
}
