/**
 * What the command `npx tidegate` needs of the gateway.
 *
 * @module
 */

import { connectionStrings, DatabaseError, hosts, locate } from '../database/index.ts'
import { machineWith } from './machine.ts'

export { ConfigError, jsonFault } from '../gateway/index.ts'
export { serveStdio } from '../mcp/index.ts'
export { openGateway } from './gateway.ts'
export { listen } from './listen.ts'
export { ModuleFault, openOwnWorker } from './own-worker.ts'

/** Whether a text is the URL of a database, as far as can be told without its driver. */
export async function isDatabaseUrl(text: string): Promise<boolean> {
  try {
    locate(text, { fetch, bindings: {} })
    if (!URL.canParse(text)) (await hosts()).databaseUrl(text, true)
    return true
  } catch (error) {
    if (error instanceof DatabaseError) return false
    throw error
  }
}

/** Reads what people paste for a connection string. */
export async function recognise(text: string) {
  return (await connectionStrings()).recognise(text, machineWith(process.env))
}
