import type { Driver, Io, Limits, Statement } from '../database.ts'
import { postgres } from '../dialects/postgres.ts'
import { answer, type Result } from '../postgres/answer.ts'
import { isNeon } from '../postgres/hosts.ts'
import { inOwnText, recipe } from '../postgres/recipe.ts'
import { typesOf } from '../postgres/types.ts'
import { isHttps } from '../url.ts'
import { type Address, addressOf, send } from './neon-http.ts'

/** PostgreSQL behind Neon's SQL over HTTP: `postgres://…neon.tech/db`, or `neon://` anywhere. */
export const neon: Driver = {
  name: 'neon',
  opens: ({ protocol, hostname }) =>
    protocol === 'neon:' || (/^postgres(?:ql)?:$/.test(protocol) && isNeon(hostname)),
  open(url, io) {
    const address = addressOf(url)
    const { host, pathname } = new URL(address.connection)
    return {
      dialect: postgres,
      tls: isHttps(address),
      async query(statement, limits) {
        const started = Date.now()
        const result = await run(address, statement, limits, io)
        const types = await typesOf(result.fields, host + pathname, (lookUp, maxRows) =>
          run(address, lookUp, { ...limits, maxRows }, io),
        )
        return { ...answer(result, types, limits), elapsedMs: Date.now() - started }
      },
    }
  },
}

/** Runs one statement in one request. */
async function run(
  address: Address,
  statement: Statement,
  limits: Limits,
  io: Io,
): Promise<Result> {
  const results = await send(address, recipe(statement, limits), limits, io).catch((error) => {
    throw inOwnText(error, statement)
  })
  return results.at(-1)!
}
