import type { Driver } from '../database.ts'
import { isHttps } from '../transport/url.ts'
import { clickhouse as dialect } from './dialect.ts'
import { addressOf, send } from './http.ts'

/**
 * ClickHouse by its HTTP interface: `clickhouse://user:password@host:8123/database`, or
 * `clickhouses://`, which is HTTPS at port 8443. User and database are `default` if left out.
 */
export const clickhouse: Driver = {
  name: 'clickhouse',
  opens: ({ protocol }) => /^clickhouses?:$/.test(protocol),
  open(url, io) {
    const address = addressOf(url)
    return {
      dialect: { ...dialect, schema: address.database },
      tls: isHttps(address),
      query: (statement, limits) => send(address, statement, limits, io),
    }
  },
}
