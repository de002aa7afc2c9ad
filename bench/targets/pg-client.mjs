// pg, a connection a request, which is what a Worker without Hyperdrive has.
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
