import { DatabaseError } from '../error.ts'
import { decoded } from '../transport/url.ts'

/** The server to send statements to, and the user to send them as. */
export interface ClickHouseAddress {
  readonly endpoint: string
  readonly user: string
  readonly database: string
  /** Contains the password, which is sent in this header and nowhere else. */
  readonly authorization: string
}

/** Reads the address from a URL. Throws {@link DatabaseError}. */
export function addressOf(url: URL): ClickHouseAddress {
  const [, database = '', more] = url.pathname.split('/')
  if (!url.hostname || more !== undefined) {
    throw new DatabaseError(
      'config',
      'A ClickHouse URL has a host and a database: clickhouse://user:password@host/database',
    )
  }
  const [scheme, port] = url.protocol === 'clickhouses:' ? ['https', '8443'] : ['http', '8123']
  const user = decoded(url.username) || 'default'
  const login = new TextEncoder().encode(`${user}:${decoded(url.password)}`)
  return {
    endpoint: `${scheme}://${url.hostname}:${url.port || port}/`,
    user,
    database: decoded(database) || 'default',
    authorization: `Basic ${btoa(String.fromCharCode(...login))}`,
  }
}
