import { type Gateway, openGateway } from './gateway.ts'

export {
  Authorization,
  CallRecords,
  DemoStore,
  McpSession,
  Meter,
  Registry,
} from '../index.ts'

let opened: Promise<Gateway> | undefined

/** The gateway of the variables of this process: what the Worker is elsewhere, for servers that take a `fetch`. */
export default {
  async fetch(request: Request): Promise<Response> {
    opened ??= openGateway({ variables: set(process.env) }).catch((error: unknown) => {
      // The next request tries again.
      opened = undefined
      throw error
    })
    return (await opened).fetch(request)
  },
}

const set = (variables: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  )
