// @libsql/client/web.
import { createClient } from '@libsql/client/web'

let client

export default {
  async fetch(_, { URL: url, QUERY: query }) {
    const { host, searchParams } = new URL(url)
    client ??= createClient({ url: `http://${host}`, authToken: searchParams.get('authToken') })
    const { rows, columns } = await client.execute(query)
    return new Response(`${rows.length} × ${columns.length}`)
  },
}
