import { badConfig } from '../error.ts'
import { basicAuth } from '../transport/post.ts'
import { decoded } from '../transport/url.ts'

/** A node's address, its login, and the required freshness of its results. */
export interface RqliteAddress {
  readonly endpoint: string
  readonly authorization: string | undefined
  /** The parameter `level`, and those that belong to it. */
  readonly consistency: Readonly<Record<string, string>>
}

/** Reads the address from a URL. Throws {@link DatabaseError}. */
export function addressOf(url: URL): RqliteAddress {
  const { protocol, hostname, port, pathname } = url
  if (!hostname || pathname.length > 1) {
    throw badConfig(
      'An rqlite URL has a host and nothing after it: rqlite://user:password@host:4001',
    )
  }
  const [user, password] = [decoded(url.username), decoded(url.password)]
  return {
    endpoint: `${protocol === 'rqlites:' ? 'https' : 'http'}://${hostname}:${port || 4001}/db/query`,
    authorization: url.username ? basicAuth(user, password) : undefined,
    consistency: consistencyOf(url.searchParams),
  }
}

/** https://rqlite.io/docs/api/read-consistency/ */
const LEVELS = ['none', 'weak', 'linearizable', 'strong', 'auto']

/** In Go's format: `500ms`, `1m30s`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

// The server would treat an unknown level as weak, and ignore parameters that it cannot use.
function consistencyOf(params: URLSearchParams): Record<string, string> {
  const {
    level = 'weak',
    freshness,
    freshness_strict: strict,
    ...more
  } = Object.fromEntries(params)
  if (Object.keys(more).length > 0) {
    throw badConfig(
      'An rqlite URL can have the parameters level, freshness and freshness_strict, and no others.',
    )
  }
  if (!LEVELS.includes(level)) {
    throw badConfig(
      `The level in an rqlite URL must be one of ${LEVELS.join(', ')}. The default is weak.`,
    )
  }
  if (freshness === undefined) {
    if (strict === undefined) return { level }
    throw badConfig('In an rqlite URL, freshness_strict also requires freshness.')
  }
  if (level !== 'none' && level !== 'auto') {
    throw badConfig('In an rqlite URL, freshness requires level=none or level=auto.')
  }
  if (!DURATION.test(freshness)) {
    throw badConfig('The freshness in an rqlite URL must be a duration such as 500ms, 5s or 1m.')
  }
  return { level, freshness, ...(strict !== undefined && { freshness_strict: '' }) }
}
