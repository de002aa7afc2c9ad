// Tidegate's own drivers: the guard, a read-only transaction, exact values, the caps.
import * as databases from '../../src/database/index.ts'

// Commits that `--against` can measure may have `open` instead of `locate`.
const { locate, open = (url, io) => locate(url, io).open() } = databases

const limits = { maxRows: 10_000, maxBytes: 16 << 20, timeoutMs: 20_000 }

let database

export default {
  async fetch(_, { URL: url, QUERY: sql }) {
    database ??= open(url, { fetch: (...given) => fetch(...given), bindings: {} })
    const { rows } = await (await database).query({ sql }, limits)
    return new Response(`${rows.length} × ${rows[0].length}`)
  },
}
