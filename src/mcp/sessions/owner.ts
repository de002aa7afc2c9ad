import type { Caller } from '../features/context.ts'
import type { Server } from '../features/server.ts'

/** A session's caller, and everything that decides what they can see, as a string. */
export interface SessionOwner {
  readonly subject: string | undefined
  readonly view: string
}

export const ownerOf = ({ view }: Server, caller: Caller | undefined): SessionOwner => ({
  subject: caller?.subject,
  view: JSON.stringify([view, caller?.claims, caller?.scopes]),
})
