import type { Order, RegistryState } from './registry-state.ts'

/** The Durable Object of the registry. Its code is read by the first order. */
export class Registry {
  readonly #storage: DurableObjectStorage
  #state: RegistryState | undefined

  constructor(state: DurableObjectState) {
    this.#storage = state.storage
  }

  /** Carries out one order. */
  async fetch(request: Request): Promise<Response> {
    try {
      const [{ order, input }, { RegistryState }] = await Promise.all([
        request.json<{ readonly order: string; readonly input: unknown }>(),
        import('./registry-state.ts'),
      ])
      this.#state ??= new RegistryState(this.#storage)
      return Response.json(this.#state.take(order, input) ?? null)
    } catch (error) {
      // The Worker only hears that the object failed.
      console.error(error)
      throw error
    }
  }
}

/** Asks the registry. Every order is one request to its object. */
export type AskRegistry = <Name extends Order>(
  order: Name,
  input: Parameters<RegistryState[Name]>[0],
) => Promise<NonNullable<ReturnType<RegistryState[Name]>> | undefined>

/** How a Worker reaches the registry: the one object of this namespace. */
export function registryIn(namespace: DurableObjectNamespace): AskRegistry {
  return async (order, input) => {
    const object = namespace.get(namespace.idFromName('registry'))
    const body = JSON.stringify({ order, input })
    const answer = await object.fetch('https://registry/', { method: 'POST', body })
    if (!answer.ok) throw new Error(`The registry answered ${answer.status}.`)
    return (await answer.json()) ?? undefined
  }
}
