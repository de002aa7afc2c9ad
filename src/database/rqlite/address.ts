import { DatabaseError } from '../error.ts'
import { decoded } from '../transport/url.ts'

/** Where a node is, how to log in, and how fresh its answers have to be. */
export interface Address {
  readonly endpoint: string
  readonly authorization: string | undefined
  /** `level`, and the parameters that go with it. */
  readonly consistency: Readonly<Record<string, string>>
}

/** The address that a URL stands for. Throws {@link DatabaseError}. */
export function addressOf(url: URL): Address {
  const { protocol, hostname, port, pathname } = url
  if (!hostname || pathname.length > 1) {
    throw new DatabaseError(
      'config',
      'An rqlite URL names a host and nothing behind it: rqlite://user:password@host:4001',
    )
  }
  const login = new TextEncoder().encode(`${decoded(url.username)}:${decoded(url.password)}`)
  return {
    endpoint: `${protocol === 'rqlites:' ? 'https' : 'http'}://${hostname}:${port || 4001}/db/query`,
    authorization: url.username ? `Basic ${btoa(String.fromCharCode(...login))}` : undefined,
    consistency: consistencyOf(url.searchParams),
  }
}

/** https://rqlite.io/docs/api/read-consistency/ */
const LEVELS = ['none', 'weak', 'linearizable', 'strong', 'auto']

/** As Go writes it: `500ms`, `1m30s`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

// The server itself reads an unknown level as weak, and ignores what it cannot use.
function consistencyOf(params: URLSearchParams): Record<string, string> {
  const {
    level = 'weak',
    freshness,
    freshness_strict: strict,
    ...more
  } = Object.fromEntries(params)
  const no = (message: string) => new DatabaseError('config', message)
  if (Object.keys(more).length > 0) {
    throw no('An rqlite URL takes level, freshness and freshness_strict, and nothing else.')
  }
  if (!LEVELS.includes(level)) {
    throw no(`The level of an rqlite URL is one of ${LEVELS.join(', ')}; weak if left out.`)
  }
  if (freshness === undefined) {
    if (strict === undefined) return { level }
    throw no('In an rqlite URL, freshness_strict needs freshness beside it.')
  }
  if (level !== 'none' && level !== 'auto') {
    throw no('In an rqlite URL, freshness needs level=none or level=auto beside it.')
  }
  if (!DURATION.test(freshness)) {
    throw no('The freshness of an rqlite URL is a duration such as 500ms, 5s or 1m.')
  }
  return { level, freshness, ...(strict !== undefined && { freshness_strict: '' }) }
}
