// Counts what a call of each tool costs on its way to a database: connections or requests, and turns, which
// are what a far database makes slow. The figures do not depend on the machine.
import { fileURLToPath } from 'node:url'
import { dbhubCosts } from './dbhub-connections.mjs'
import { print } from './table.mjs'

/** Prints the counts for each database that this machine has. */
export async function connections() {
  const { countCalls } = await import('../test/support/count-calls.ts')
  const { startCounted } = await import('../test/support/counted.ts')
  const { all, end } = await startCounted()
  const counted = []
  for (const [name, database] of Object.entries(all)) {
    const { login, costs } = await countCalls(database)
    counted.push({ name, login: database.logIn ? login : undefined, costs })
    const dbhub = name.endsWith('over TCP') ? await dbhubCosts(database) : undefined
    if (dbhub) counted.push({ name: `DBHub, ${name}`, costs: dbhub })
  }
  await end()
  printed(counted)
  return counted
}

/**
 * One line for each database: the turns of a login, and of each tool the connections or requests, and the
 * turns. Where a second call of the same isolate needs less, that stands behind an arrow.
 */
function printed(counted) {
  const tools = counted[0].costs.map(({ tool }) => tool)
  const cell = ({ trips, turns }) => `${trips}/${turns}`
  const both = ({ cold, warm }) => [...new Set([cell(cold), cell(warm)])].join(' → ')
  print(
    ['', 'login', ...tools],
    counted.map(({ name, login = '–', costs }) => {
      const found = tools.map((tool) => costs.find((it) => it.tool === tool))
      return [name, login, ...found.map((it) => (it ? both(it) : '–'))]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await connections()
  process.exit()
}
