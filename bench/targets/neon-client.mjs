// @neondatabase/serverless, one statement in a read-only transaction.
import { neon, neonConfig } from '@neondatabase/serverless'

let sql

export default {
  async fetch(_, { URL: url, QUERY: query }) {
    if (!sql) {
      neonConfig.fetchEndpoint = `http://${new URL(url).host}/sql`
      sql = neon(url.replace('neon:', 'postgresql:'), { arrayMode: true, fullResults: true })
    }
    const [{ rows }] = await sql.transaction([sql.query(query)], { readOnly: true })
    return new Response(`${rows.length} × ${rows[0].length}`)
  },
}
