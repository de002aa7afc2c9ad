import { randomBytes } from 'node:crypto'
import { ConfigError, openGateway } from '../../node/index.ts'
import { Mistake } from '../terminal/failure.ts'
import { faultHere, type ServedArguments, variablesOf } from './variables.ts'

/**
 * Inspects the databases that these arguments would serve over stdio, as `/doctor` does. Throws {@link Mistake}.
 *
 * @returns the report, as text or as JSON, and true if everything is fine
 */
export async function databasesReport(
  asked: ServedArguments,
  asJson = false,
): Promise<{ readonly text: string; readonly isWell: boolean }> {
  try {
    const found = await variablesOf(asked, process.env, console.error)
    const key = randomBytes(32).toString('base64url')
    const gateway = await openGateway({ variables: { ...found, TIDEGATE_KEY: key } })
    try {
      const problem = gateway.problem()
      if (problem) throw new ConfigError(problem)
      const headers = { authorization: `Bearer ${key}` }
      const url = `http://localhost/doctor?hosts=no&format=${asJson ? 'json' : 'text'}`
      const response = await gateway.fetch(new Request(url, { headers }))
      return { text: (await response.text()).trimEnd(), isWell: response.ok }
    } finally {
      await gateway.close()
    }
  } catch (error) {
    throw error instanceof ConfigError ? new Mistake(faultHere(error, asked)) : error
  }
}
