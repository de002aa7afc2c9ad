// Counts the cost of calling each tool on the way to a database: connections or requests, and turns, which
// a distant database makes slow. The figures do not depend on the machine.
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
 * Prints one line for each database: the turns for a login, and the connections or requests and the turns for
 * each tool. If a second call in the same isolate needs fewer, its numbers follow an arrow.
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
