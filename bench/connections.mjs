// Counts what a call of each tool costs on its way to a database: connections, and turns, which are what
// a far database makes slow. The figures do not depend on the machine.
import { fileURLToPath } from 'node:url'
import { print } from './table.mjs'

/** Prints the counts for each database that is reached by TCP. */
export async function connections() {
  const counting = await import('../test/support/count-calls.ts')
  const { startPostgres } = await import('../test/support/postgres.ts')
  const { startMariaDb } = await import('../test/support/mariadb.ts')
  const databases = [
    ['PostgreSQL', startPostgres, counting.countedPostgres],
    ['MariaDB', startMariaDb, counting.countedMariaDb],
  ]
  const counted = []
  for (const [name, start, of] of databases) {
    const database = await start(counting.SETUP)
    if (!database) continue
    const { login, costs } = await counting.countCalls(of(database))
    counted.push(...costs.map((it) => ({ name, login, ...it })))
    await database.drop()
  }
  print(
    ['database', 'tool', 'connections', 'turns of a login', 'turns after it, in all'],
    counted.map((it) => [it.name, it.tool, it.connections, it.login, it.turns]),
  )
  return counted
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await connections()
  process.exit()
}
