// @clickhouse/client-web.
import { createClient } from '@clickhouse/client-web'

let client

export default {
  async fetch(_, { URL: url, QUERY: query }) {
    const { host, username, password, pathname } = new URL(url)
    client ??= createClient({
      url: `http://${host}`,
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    })
    const answer = await client.query({ query, format: 'JSONCompact' })
    const { data } = await answer.json()
    return new Response(`${data.length} × ${data[0].length}`)
  },
}
