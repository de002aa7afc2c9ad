import type { Caller } from '../mcp/index.ts'

/** One way to recognize a caller. Undefined if this way does not. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>
