/**
 * The only class of Durable Objects. An object is a legacy session, a task or a store. Two more are
 * shared by all isolates: the secret of a deployment, and the hub of changes.
 *
 * @module
 */

import type { ObjectRoles, SessionObjectOptions } from './object-roles.ts'
import type { ObjectState } from './object-state.ts'

/** The Durable Object class to export beside the Worker. Their code is read by the first request to an object. */
export function sessionObject<Env>(
  options: SessionObjectOptions<Env>,
): new (
  state: ObjectState,
  env: Env,
) => SessionObject {
  return class McpSession {
    readonly #state: ObjectState
    readonly #env: Env
    #roles: Promise<ObjectRoles<Env>> | undefined

    constructor(state: ObjectState, env: Env) {
      this.#state = state
      this.#env = env
    }

    async fetch(request: Request): Promise<Response> {
      return (await this.#read()).fetch(request)
    }

    async alarm(): Promise<void> {
      await (await this.#read()).alarm()
    }

    webSocketClose(socket: WebSocket): void {
      socket.close()
    }

    #read(): Promise<ObjectRoles<Env>> {
      this.#roles ??= import('./object-roles.ts')
        .then(({ ObjectRoles }) => new ObjectRoles(options, this.#state, this.#env))
        .catch((error: unknown) => {
          // The next request tries again.
          this.#roles = undefined
          console.error(error)
          throw error
        })
      return this.#roles
    }
  }
}

/** An object, as its platform uses it. */
export interface SessionObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
  webSocketClose(socket: WebSocket): void
}
