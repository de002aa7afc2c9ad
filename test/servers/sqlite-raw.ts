import { DatabaseSync } from 'node:sqlite'
import { type SqliteServer, serveChild, startChild } from './sqlite-child.ts'

/** Starts a SQLite that runs every statement of every text it is sent, on one connection. */
export const startRaw = (setup: Iterable<string>): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup)

/** What a statement could change of the connection itself. */
const settings = [
  ...['database_list', 'foreign_keys', 'defer_foreign_keys', 'recursive_triggers', 'query_only'],
  ...['busy_timeout', 'synchronous', 'trusted_schema', 'temp_store', 'cache_size'],
]

if (process.argv[1] === import.meta.filename) {
  const database = new DatabaseSync(process.argv[2]!)
  serveChild(({ sql }, _request, response) => {
    try {
      database.exec(sql)
    } catch {
      // Whoever sent it looks at what is different, and at nothing else.
    }
    // Asked first, for it opens what the list of databases then holds.
    const temporary = database.prepare('select * from sqlite_temp_schema').all()
    const all = settings.map((name) =>
      // Not the path: another server has another.
      database
        .prepare(`pragma ${name}`)
        .all()
        .map(({ file, ...rest }) => rest),
    )
    response.end(JSON.stringify([all, temporary]))
  })
}
