import type { Caller } from './context.ts'
import type { Accept } from './reply.ts'
import type { Seal } from './seal.ts'
import type { Server } from './server.ts'
import type { Stores } from './stores.ts'
import type { Tasks } from './tasks.ts'

/** What an era needs to serve one HTTP request. */
export interface Serving {
  readonly request: Request
  readonly server: Server
  readonly caller: Caller | undefined
  readonly accept: Accept
  readonly seal: Seal
  /** A call that takes so long is stopped. */
  readonly callMs: number
  readonly tasks?: Tasks | undefined
  readonly stores?: Stores | undefined
}
