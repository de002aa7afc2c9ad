import type { Driver } from '../../database.ts'
import { hyperdriveOf } from '../../transport/hyperdrive.ts'
import { mysql as dialect } from '../dialect.ts'
import { answerOf } from '../tcp/answer.ts'
import { readInTransaction } from './session.ts'

/** MySQL and MariaDB behind Hyperdrive: `hyperdrive:BINDING`. */
export const hyperdrive: Driver = {
  name: 'mysql-hyperdrive',
  opens: ({ protocol }) => protocol === 'hyperdrive:',
  open(url, io) {
    // The connection to Hyperdrive stays within Cloudflare. Hyperdrive encrypts the rest of the way.
    const login = { ...hyperdriveOf(url, io), tls: false, takesKey: true }
    return {
      dialect: dialect(login.database),
      refusesBy:
        'in a read-only transaction that is rolled back, if the server parses them as queries',
      // A role would have to be reset before the session is given to the next user.
      applies: [],
      query: async (statement, limits) =>
        answerOf(await readInTransaction(login, statement, limits, io), limits),
    }
  },
}
