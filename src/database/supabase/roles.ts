import { postgres } from '../postgres/dialect.ts'
import type { InspectRole } from '../role.ts'

/**
 * Inspects the role that Supabase runs our statements as. An operator cannot choose another one, so
 * none is suggested. No statement can find out what else the token may do.
 */
export const inspectRole: InspectRole = async (ask, by) => ({
  ...(await postgres.inspectRole(ask, by)),
  reader: [],
  note: 'What the token may do cannot be asked for: a token with full access may change and delete every project of its account. Make one that is scoped to this project, with the permission to read its database (database_read) and no other. The role reads every schema, auth included, whatever row level security says.',
})
