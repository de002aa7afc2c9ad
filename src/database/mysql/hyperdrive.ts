import type { Driver } from '../database.ts'
import { hyperdriveOf } from '../transport/hyperdrive.ts'
import { mysql as dialect } from './dialect.ts'
import { readInTransaction } from './hyperdrive-session.ts'
import { answerOf } from './tcp-answer.ts'

/** MySQL and MariaDB behind Hyperdrive: `hyperdrive:BINDING`. */
export const hyperdrive: Driver = {
  name: 'mysql-hyperdrive',
  opens: ({ protocol }) => protocol === 'hyperdrive:',
  open(url, io) {
    const { host, port, user, password, database } = hyperdriveOf(url, io)
    // The connection to Hyperdrive stays within Cloudflare. Hyperdrive encrypts the rest of the way.
    const login = {
      ...{ host, port, user, password, database },
      ...{ token: undefined, tls: false, takesKey: true },
    }
    return {
      dialect: dialect(database),
      refusesBy:
        'in a transaction that only reads and is rolled back, if the server says that they are queries',
      // A role would have to be taken back before the next user of the session has it.
      applies: [],
      query: async (statement, limits) =>
        answerOf(await readInTransaction(login, statement, limits, io), limits),
    }
  },
}
