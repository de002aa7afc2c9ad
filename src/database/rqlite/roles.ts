import type { InspectRole } from '../role.ts'
import { inspectRole as ofSqlite } from '../sqlite/roles.ts'

/** Tells what it can about a database of rqlite: its users are in a file of the server. */
export const inspectRole: InspectRole = async (ask, by) => ({
  ...(await ofSqlite(ask, by)),
  note: 'rqlite keeps its users and their permissions in a file, which no query can read. Give this user only the permission query: then it cannot write.',
})
