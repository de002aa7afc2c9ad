import type { Driver } from '../database.ts'
import { answer } from '../postgres/answer.ts'
import { postgres } from '../postgres/dialect.ts'
import type { InspectRole } from '../role.ts'
import { startDeadline } from '../transport/deadline.ts'
import { addressOf } from './address.ts'
import { send } from './http.ts'

/** PostgreSQL on Supabase, through its Management API: `supabase://:TOKEN@REF`. */
export const supabase: Driver = {
  name: 'supabase',
  opens: ({ protocol }) => protocol === 'supabase:',
  open(url, io) {
    const address = addressOf(url)
    return {
      dialect: { ...postgres, inspectRole },
      tls: true,
      rollsBack: true,
      refusesBy: 'as a read-only role, in a read-only transaction that is rolled back',
      applies: ['role', 'claims'],
      async query(statement, limits) {
        const deadline = startDeadline(limits, 2_000)
        const reading = await send(address, statement, limits, deadline, io)
        return answer(reading, reading.types, limits)
      },
    }
  },
}

/**
 * Inspects the role that Supabase runs our statements as. An operator cannot choose another role, so no other role is
 * suggested. The token's other rights cannot be queried.
 */
const inspectRole: InspectRole = async (ask, by) => ({
  ...(await postgres.inspectRole(ask, by)),
  reader: [],
  note: 'Tidegate cannot check the rights of the token: a token with full access can change and delete every project in its account. Create one that is limited to this project, and that has only the permission to read its database (database_read). The role can read every schema, including auth, regardless of row-level security.',
})
