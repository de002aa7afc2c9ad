import type { Caller } from './context.ts'
import type { Accept } from './reply.ts'
import type { Seal } from './seal.ts'
import type { Server } from './server.ts'
import type { Tasks } from './tasks.ts'

/** What an era needs to serve one HTTP request. */
export interface Serving {
  readonly request: Request
  readonly server: Server
  readonly caller: Caller | undefined
  readonly accept: Accept
  readonly seal: Seal
  readonly tasks?: Tasks | undefined
}
