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

/** A gateway configured by this process's variables. It replaces the Worker, for servers that accept a `fetch`. */
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
