import { signedNames } from './asker.ts'
import type { Caller } from './context.ts'
import { Refusal } from './refusal.ts'
import type { Seal } from './seal.ts'

/** The header that names a session (lower case, as `Headers` has it). */
export const SESSION = 'mcp-session-id'

/** Where legacy sessions live. The requests they are handed are theirs to change. */
export interface Sessions {
  /** Opens a session with the `initialize` in this request, and names it in the response. */
  open(request: Request, caller: Caller | undefined): Promise<Response>
  /** Brings a request to the session it names. Throws {@link Refusal} if there is none for this caller. */
  fetch(request: Request, caller: Caller | undefined): Promise<Response>
  /** Opens a session with a stream, before `initialize` (the transport of `2024-11-05`). */
  stream(request: Request, caller: Caller | undefined): Promise<{ id: string; response: Response }>
  /** Brings a message to the session of a stream, by which it is answered. */
  post(request: Request, id: string, caller: Caller | undefined): Promise<Response>
}

/** Brings a request to the place of this name. `bySse`: in the transport of `2024-11-05`. */
export type Reach = (
  name: string,
  request: Request,
  caller: Caller | undefined,
  bySse: boolean,
) => Promise<Response>

/** Sessions at places found by name. The id a client holds is the name of the place, signed. */
export function signedSessions(seal: Seal, reach: Reach): Sessions {
  const names = signedNames(seal, 'session')
  const nameOf = async (id: string, request: Request, caller: Caller | undefined) => {
    const name = await names.read(id, { request, caller })
    if (name !== undefined) return name
    throw new Refusal(404, 'There is no such session: open one with initialize.')
  }
  return {
    async open(request, caller) {
      const { name, id } = await names.make({ request, caller })
      const answer = await reach(name, request, caller, false)
      const response = new Response(answer.body, answer)
      response.headers.set(SESSION, id)
      return response
    },
    async fetch(request, caller) {
      const id = request.headers.get(SESSION) ?? ''
      return reach(await nameOf(id, request, caller), request, caller, false)
    },
    async stream(request, caller) {
      const { name, id } = await names.make({ request, caller })
      return { id, response: await reach(name, request, caller, true) }
    },
    async post(request, id, caller) {
      return reach(await nameOf(id, request, caller), request, caller, true)
    },
  }
}
