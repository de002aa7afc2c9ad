import type { InspectRole } from '../role.ts'
import { inspectRole as ofSqlite } from '../sqlite/roles.ts'

/** Looks at a database of rqlite, as far as it can be: its users are in a file of the server. */
export const inspectRole: InspectRole = async (ask, by) => ({
  ...(await ofSqlite(ask, by)),
  note: 'rqlite keeps its users and their permissions in a file, and they cannot be asked for. Give this user the permission query and no other: then it cannot write, whatever it is sent.',
})
