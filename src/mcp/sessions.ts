import type { Caller } from './context.ts'
import { Refusal } from './refusal.ts'
import type { Seal } from './seal.ts'

/** The header that names a session (lower case, as `Headers` has it). */
export const SESSION = 'mcp-session-id'

/** Where legacy sessions live. */
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

/**
 * Sessions at places that are found by name. The id a client holds is the name of the place, signed
 * for the caller and the path: one made up, or used by somebody else, reaches no place at all.
 */
export function signedSessions(seal: Seal, reach: Reach): Sessions {
  const idOf = async (name: string, { url }: Request, caller: Caller | undefined) =>
    `${name}.${await seal.sign(JSON.stringify([name, new URL(url).pathname, caller?.subject]))}`
  const nameOf = async (id: string, request: Request, caller: Caller | undefined) => {
    const [name = ''] = id.split('.')
    if (id === (await idOf(name, request, caller))) return name
    throw new Refusal(404, 'There is no such session: open one with initialize.')
  }
  const newName = () => crypto.randomUUID().replaceAll('-', '')
  return {
    async open(request, caller) {
      const name = newName()
      const answer = await reach(name, request, caller, false)
      const response = new Response(answer.body, answer)
      response.headers.set(SESSION, await idOf(name, request, caller))
      return response
    },
    async fetch(request, caller) {
      const id = request.headers.get(SESSION) ?? ''
      return reach(await nameOf(id, request, caller), request, caller, false)
    },
    async stream(request, caller) {
      const name = newName()
      const response = await reach(name, request, caller, true)
      return { id: await idOf(name, request, caller), response }
    },
    async post(request, id, caller) {
      return reach(await nameOf(id, request, caller), request, caller, true)
    },
  }
}
