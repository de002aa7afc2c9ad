// Queries a SQLite file as the current user, and prints the first row or the error.
import { sqliteFile } from '../../src/node/sqlite/file.ts'

const [path, sql] = process.argv.slice(2)
const file = sqliteFile(path!)
const said = await file
  .read({ sql: sql! }, { maxRows: 1, maxBytes: 1_000, timeoutMs: 20_000 })
  .then(
    ({ rows }) => rows[0],
    ({ kind, message }) => `${kind}: ${message}`,
  )
console.log(JSON.stringify(said))
await file.close()
