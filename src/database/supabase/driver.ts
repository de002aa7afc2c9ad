import type { Driver } from '../database.ts'
import { answer } from '../postgres/answer.ts'
import { postgres } from '../postgres/dialect.ts'
import { startDeadline } from '../transport/deadline.ts'
import { addressOf } from './address.ts'
import { send } from './http.ts'
import { inspectRole } from './roles.ts'

/** PostgreSQL at Supabase, by the SQL of its Management API: `supabase://:TOKEN@REF`. */
export const supabase: Driver = {
  name: 'supabase',
  opens: ({ protocol }) => protocol === 'supabase:',
  open(url, io) {
    const address = addressOf(url)
    return {
      dialect: { ...postgres, inspectRole },
      tls: true,
      rollsBack: true,
      refusesBy: 'as a role that only reads, in a transaction that only reads and is rolled back',
      applies: ['role', 'claims'],
      async query(statement, limits) {
        const deadline = startDeadline(limits, 2_000)
        const reading = await send(address, statement, limits, deadline, io)
        const rows = answer(reading, reading.types, limits)
        return reading.cut && !rows.truncated ? { ...rows, truncated: 'bytes' } : rows
      },
    }
  },
}
