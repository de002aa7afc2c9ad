import type { Driver, Io } from '../../database.ts'
import type { QueryContext, Statement } from '../../rows.ts'
import { hasSeveralHosts } from '../../transport/hosts.ts'
import { isHttps } from '../../transport/url.ts'
import { answer, type PostgresResult } from '../answer.ts'
import { postgres } from '../dialect.ts'
import { identityFault } from '../identity.ts'
import { inOwnText, readOnlySteps } from '../read-only.ts'
import { typesOf } from '../types.ts'
import { addressOf, isNeon, type NeonAddress, send } from './http.ts'

/** PostgreSQL through Neon's SQL over HTTP: `postgres://…neon.tech/db`, or `neon://` anywhere. */
export const neon: Driver = {
  name: 'neon',
  opens: (url) =>
    url.protocol === 'neon:' ||
    (/^postgres(?:ql)?:$/.test(url.protocol) && isNeon(url.hostname) && !hasSeveralHosts(url)),
  open(url, io) {
    const address = addressOf(url)
    const { host, pathname } = new URL(address.connection)
    return {
      dialect: postgres,
      tls: isHttps(address),
      refusesBy: 'as a cursor, in a read-only transaction',
      applies: ['role', 'claims'],
      async query(statement, limits) {
        const result = await run(address, statement, limits, io)
        const key = JSON.stringify([host, pathname, limits.identity?.role])
        const types = await typesOf(result.fields, key, (lookUp, maxRows) =>
          run(address, lookUp, { ...limits, maxRows }, io),
        )
        return answer(result, types, limits)
      },
    }
  },
}

async function run(
  address: NeonAddress,
  statement: Statement,
  limits: QueryContext,
  io: Io,
): Promise<PostgresResult> {
  const results = await send(address, readOnlySteps(statement, limits), limits, io).catch(
    (error) => {
      throw inOwnText(identityFault(error, limits.identity, false), statement)
    },
  )
  return results.at(-1)!
}
