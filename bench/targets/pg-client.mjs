// pg, a connection for each request, as in a Worker without Hyperdrive.
import pg from 'pg'

export default {
  async fetch(_, { URL: url, QUERY: text }) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query({ text, rowMode: 'array' })
    await client.end()
    return new Response(`${rows.length} × ${rows[0].length}`)
  },
}
