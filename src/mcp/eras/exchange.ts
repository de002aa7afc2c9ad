import type { Caller } from '../features/context.ts'
import type { Server } from '../features/server.ts'
import type { Seal } from '../state/seal.ts'
import type { Stores } from '../state/stores.ts'
import type { Tasks } from '../state/tasks.ts'
import type { Accept } from '../wire/reply.ts'

/** An HTTP request and everything needed to answer it. */
export interface Exchange {
  readonly request: Request
  /** True if headers repeat parts of the body. Stdio has no headers. */
  readonly hasHeaders?: false | undefined
  readonly server: Server
  readonly caller: Caller | undefined
  readonly accept: Accept
  readonly seal: Seal
  /** A longer call is stopped. */
  readonly callMs: number
  readonly tasks?: Tasks | undefined
  readonly stores?: Stores | undefined
}
