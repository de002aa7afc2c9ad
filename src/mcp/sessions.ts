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
}

/**
 * Sessions at places that are found by name. The id a client holds is the name of the place, signed
 * for the caller and the path: one made up, or used by somebody else, reaches no place at all.
 *
 * @param reach Brings a request to the place of this name.
 */
export function signedSessions(
  seal: Seal,
  reach: (name: string, request: Request, caller: Caller | undefined) => Promise<Response>,
): Sessions {
  const sign = (name: string, { url }: Request, caller: Caller | undefined) =>
    seal.sign(JSON.stringify([name, new URL(url).pathname, caller?.subject]))
  return {
    async open(request, caller) {
      const name = crypto.randomUUID().replaceAll('-', '')
      const answer = await reach(name, request, caller)
      const response = new Response(answer.body, answer)
      response.headers.set(SESSION, `${name}.${await sign(name, request, caller)}`)
      return response
    },
    async fetch(request, caller) {
      const id = request.headers.get(SESSION) ?? ''
      const [name = '', signature] = id.split('.')
      if (signature !== (await sign(name, request, caller))) {
        throw new Refusal(404, 'There is no such session: open one with initialize.')
      }
      return reach(name, request, caller)
    },
  }
}
