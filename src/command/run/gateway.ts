import { statSync } from 'node:fs'
import { ConfigError, type Gateway, openGateway, serveStdio } from '../../node/index.ts'
import { sharedState } from '../files/private-file.ts'
import { Mistake } from '../terminal/failure.ts'
import type { Arguments } from './arguments.ts'
import { keepSmall } from './memory.ts'
import { overStdio } from './stdio.ts'
import { hide, type Output, say } from './streams.ts'
import { faultHere, type ServeVariables, secretsOf, unsetIn, variablesOf } from './variables.ts'

/** Size in bytes from which a state file takes noticeable time to read. */
const LARGE_STATE = 16 * 1024 * 1024

/** Serves the databases that the arguments name, until a signal or the client ends it. Throws {@link Mistake}. */
export async function serveGateway(asked: Arguments, pipe: Output): Promise<void> {
  try {
    const variables = await variablesOf(asked, process.env, say)
    hide(secretsOf(variables))
    if (asked.way === 'http') return await overHttp(asked, variables)
    keepSmall()
    const gateway = await openGateway({ variables })
    await overStdio(pipe, ofEndpoint(gateway, asked.endpoint), serveStdio)
  } catch (error) {
    throw error instanceof ConfigError ? new Mistake(faultHere(error, asked)) : error
  }
}

const ofEndpoint = (gateway: Gateway, name: string | undefined) => ({
  stdio: () => gateway.stdio(name),
  close: () => gateway.close(),
})

async function overHttp(asked: Arguments, variables: ServeVariables): Promise<void> {
  const { serveHttp } = await import('./http.ts')
  const { withKeys } = await import('./keys.ts')
  const { state } = asked
  const shared = state && sharedState(state)
  if (shared) throw new Mistake(shared)
  const { variables: all, keys } = withKeys(variables, state)
  hide(secretsOf(all))
  for (const name of unsetIn(all))
    say(`The variable ${name} is not set, so its database is not served.`)
  if (state) announceState(state)
  const gateway = await openGateway({ variables: all, state })
  const { origin = all.TIDEGATE_ORIGIN ? [all.TIDEGATE_ORIGIN] : [] } = asked
  await serveHttp(gateway, { ...asked, origin }, keys)
}

/** Announces that a large state is read first, because the port stays closed until then. */
function announceState(path: string): void {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size > LARGE_STATE) {
    say(`Reading the state in ${path} (${Math.round(size / 1e6)} MB) before listening.`)
  }
}
