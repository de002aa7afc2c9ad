import type { Caller } from '../features/context.ts'
import type { Seal } from '../state/seal.ts'
import { signedIds } from '../state/signed-ids.ts'
import { Refusal } from '../wire/refusal.ts'

/** Header that names a session, in lower case, as in `Headers`. */
export const SESSION_HEADER = 'mcp-session-id'

/** Refusal of a request whose session does not exist. */
export class NoSession extends Refusal {
  constructor(headers: Readonly<Record<string, string>> = {}) {
    super(404, 'There is no such session: open one with initialize.', headers)
  }
}

/** Header on a refusal because the session is unknown. The request can be served without a session. */
export const UNKNOWN_SESSION_HEADER = 'x-mcp-unknown-session'

/** Access to the legacy sessions. It can modify the requests passed to it. */
export interface Sessions {
  /** Opens a session with the `initialize` in this request, and returns its id in a header. */
  open(request: Request, caller: Caller | undefined): Promise<Response>
  /**
   * Sends a request to the session in its header. Undefined if the session belonged to this caller and was
   * forgotten. Throws {@link Refusal} if it never belonged to this caller.
   */
  fetch(request: Request, caller: Caller | undefined): Promise<Response | undefined>
  /** Opens a session with a stream, before `initialize` (the `2024-11-05` transport). */
  stream(request: Request, caller: Caller | undefined): Promise<{ id: string; response: Response }>
  /** Sends a message to a stream's session. The response comes on that stream. */
  post(request: Request, id: string, caller: Caller | undefined): Promise<Response>
}

/** Sends a request to the session with this name. `bySse` is true for the `2024-11-05` transport. */
export type ReachSession = (
  name: string,
  request: Request,
  caller: Caller | undefined,
  bySse: boolean,
) => Promise<Response>

/** Sessions found by name. The id that a client holds is the signed name. */
export function signedSessions(seal: Seal, reach: ReachSession): Sessions {
  const ids = signedIds(seal, 'session')
  const nameOf = async (id: string, request: Request, caller: Caller | undefined) => {
    const name = await ids.read(id, { request, caller })
    if (name !== undefined) return name
    throw new NoSession()
  }
  const found = async (...to: Parameters<ReachSession>) => {
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
      throw new NoSession()
    },
  }
}
