import { DatabaseSync } from 'node:sqlite'
import { type SqliteServer, serveChild, startChild } from './sqlite-child.ts'

/** Starts a SQLite that runs all statements of all texts that it gets, on one connection. */
export const startRaw = (setup: Iterable<string>): Promise<SqliteServer> =>
  startChild(import.meta.filename, setup)

/** The settings that a statement could change in the connection itself. */
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
      // The test checks only the differences.
    }
    // This query is first, because it opens the temporary database, which the list of databases then has.
    const temporary = database.prepare('select * from sqlite_temp_schema').all()
    const all = settings.map((name) =>
      // Without the path, which is different in every server.
      database
        .prepare(`pragma ${name}`)
        .all()
        .map(({ file, ...rest }) => rest),
    )
    response.end(JSON.stringify([all, temporary]))
  })
}
