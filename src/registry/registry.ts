import type { ChangeNote } from './state/noted-changes.ts'
import type { AskRegistry, Order, RegistryState } from './state/registry-state.ts'
import { StateFault } from './state/state-version.ts'

/** The registry's Durable Object. The first request loads its code. */
export class Registry {
  readonly #storage: DurableObjectStorage
  #state: RegistryState | undefined

  constructor(state: DurableObjectState) {
    this.#storage = state.storage
  }

  /** Carries out one order. */
  async fetch(request: Request): Promise<Response> {
    try {
      const { pathname } = new URL(request.url)
      if (pathname === '/export') return await this.#export()
      const { order, input, note } = await request.json<{
        order: Order
        input: unknown
        note?: ChangeNote
      }>()
      return Response.json((await this.#take(order, input, note)) ?? null)
    } catch (error) {
      // Its message is for the operator.
      if (error instanceof StateFault) return new Response(error.message, { status: STATE_FAULT })
      // The Worker only learns that the object failed.
      console.error(error)
      throw error
    }
  }

  async #take(order: Order, input: unknown, note?: ChangeNote): Promise<unknown> {
    const { RegistryState } = await import('./state/registry-state.ts')
    this.#state ??= new RegistryState(this.#storage)
    return this.#state.take(order, input as never, note)
  }

  async #export(): Promise<Response> {
    const { exportOf } = await import('./state/export.ts')
    await this.#take('counts', undefined)
    return new Response(exportOf(this.#storage.sql))
  }
}

/** The path of the query for each request to an endpoint. On Node, it does not wait for other requests' changes. */
const LOOKUP = '/lookup'

const STATE_FAULT = 409

/** Connects to the registry, which is one object. */
export function registryIn(namespace: DurableObjectNamespace): AskRegistry {
  return async (order, input, note) => {
    const object = namespace.get(namespace.idFromName('registry'))
    const path = order === 'lookup' ? LOOKUP : '/'
    const body = JSON.stringify({ order, input, note })
    const answer = await object.fetch(`https://registry${path}`, { method: 'POST', body })
    if (answer.status === STATE_FAULT) throw new StateFault(await answer.text())
    if (!answer.ok) throw new Error(`The registry answered ${answer.status}.`)
    return ((await answer.json()) ?? undefined) as never
  }
}
