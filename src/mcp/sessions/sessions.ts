import type { Caller } from '../features/context.ts'
import type { Seal } from '../state/seal.ts'
import { signedIds } from '../state/signed-ids.ts'
import { Refusal } from '../wire/refusal.ts'

/** The header that names a session, in lower case, as in `Headers`. */
export const SESSION_HEADER = 'mcp-session-id'

/** The error for a client whose session does not exist. */
export const NO_SESSION = 'There is no such session: open one with initialize.'

/** The header of a refusal because a session is unknown. The request may be served without one. */
export const UNKNOWN_SESSION_HEADER = 'x-mcp-unknown-session'

/** Where legacy sessions live. They may change the requests that they get. */
export interface Sessions {
  /** Opens a session with the `initialize` in this request, and names it in the response. */
  open(request: Request, caller: Caller | undefined): Promise<Response>
  /**
   * Sends a request to the session that it names. Undefined if the session was this caller's and is
   * forgotten. Throws {@link Refusal} if it never was this caller's.
   */
  fetch(request: Request, caller: Caller | undefined): Promise<Response | undefined>
  /** Opens a session with a stream, before `initialize` (the transport of `2024-11-05`). */
  stream(request: Request, caller: Caller | undefined): Promise<{ id: string; response: Response }>
  /** Sends a message to the session of a stream. The answer comes on that stream. */
  post(request: Request, id: string, caller: Caller | undefined): Promise<Response>
}

/** Sends a request to the session with this name. `bySse`: in the transport of `2024-11-05`. */
export type Reach = (
  name: string,
  request: Request,
  caller: Caller | undefined,
  bySse: boolean,
) => Promise<Response>

/** Sessions that are found by name. The id that a client holds is the signed name. */
export function signedSessions(seal: Seal, reach: Reach): Sessions {
  const ids = signedIds(seal, 'session')
  const nameOf = async (id: string, request: Request, caller: Caller | undefined) => {
    const name = await ids.read(id, { request, caller })
    if (name !== undefined) return name
    throw new Refusal(404, NO_SESSION)
  }
  const found = async (...to: Parameters<Reach>) => {
    const answer = await reach(...to)
    if (!answer.headers.has(UNKNOWN_SESSION_HEADER)) return answer
    await answer.body?.cancel()
    return undefined
  }
  return {
    async open(request, caller) {
      const { name, id } = await ids.make({ request, caller })
      const answer = await reach(name, request, caller, false)
      const response = new Response(answer.body, answer)
      response.headers.set(SESSION_HEADER, id)
      return response
    },
    async fetch(request, caller) {
      const id = request.headers.get(SESSION_HEADER) ?? ''
      return found(await nameOf(id, request, caller), request, caller, false)
    },
    async stream(request, caller) {
      const { name, id } = await ids.make({ request, caller })
      return { id, response: await reach(name, request, caller, true) }
    },
    async post(request, id, caller) {
      const answer = await found(await nameOf(id, request, caller), request, caller, true)
      if (answer) return answer
      throw new Refusal(404, NO_SESSION)
    },
  }
}
