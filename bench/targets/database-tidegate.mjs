// Tidegate's own drivers: the guard, a read-only transaction, exact values, the caps.
import { open } from '../../src/database/index.ts'

const limits = { maxRows: 10_000, maxBytes: 16 << 20, timeoutMs: 20_000 }

let database

export default {
  async fetch(_, { URL: url, QUERY: sql }) {
    database ??= open(url, { fetch: (...given) => fetch(...given), bindings: {} })
    const { rows } = await database.query({ sql }, limits)
    return new Response(`${rows.length} × ${rows[0].length}`)
  },
}
