// What `npx tidegate doctor` says of the databases that `npx tidegate` would serve over stdio.
import { randomBytes } from 'node:crypto'
import { Failure } from '../api.mjs'
import { Fault } from './fault.mjs'
import { library } from './library.mjs'
import { faultHere, variablesOf } from './variables.mjs'

/**
 * Inspects the databases that these arguments name, as `/doctor` does. Throws {@link Failure}.
 *
 * @param asked `database`, which is a file, and the options that name databases
 * @returns the report, as text or as JSON, and whether all is well
 */
export async function databasesReport(asked, asJson) {
  try {
    const { openGateway, ...rest } = await library()
    const found = await variablesOf({ ...asked, way: 'stdio' }, process.env, rest, console.error)
    const key = randomBytes(32).toString('base64url')
    const gateway = await openGateway({ variables: { ...found, TIDEGATE_KEY: key } })
    try {
      const problem = gateway.problem()
      if (problem) throw new Failure(faultHere(problem, asked), 2)
      const headers = { authorization: `Bearer ${key}` }
      const url = `http://localhost/doctor?hosts=no&format=${asJson ? 'json' : 'text'}`
      const response = await gateway.fetch(new Request(url, { headers }))
      return { text: (await response.text()).trimEnd(), isWell: response.ok }
    } finally {
      await gateway.close()
    }
  } catch (error) {
    if (error instanceof Fault) throw new Failure(error.message, 2)
    if (error?.name === 'ConfigError') throw new Failure(faultHere(error.message, asked), 2)
    throw error
  }
}
