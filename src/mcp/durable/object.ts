// The only Durable Object class. An object is a legacy session, a task or a store. Two more objects are shared by all
// isolates: the deployment's secret and the change hub.
import type { ObjectRoles, SessionObjectOptions } from './object-roles.ts'
import type { ObjectState } from './object-state.ts'

/** The Durable Object class to export next to the Worker. An object's first request loads the code of its roles. */
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

/** The methods that the platform calls on an object. */
export interface SessionObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
  webSocketClose(socket: WebSocket): void
}
