import type { Caller } from '../mcp/index.ts'

/** One way to know a caller. Undefined means: not by me. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>
