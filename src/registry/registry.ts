import type { Found, Lookup } from './entries.ts'
import type { ChangeNote } from './noted-changes.ts'
import type { AskRegistry, RegistryState } from './registry-state.ts'
import type { Replica } from './replica.ts'

interface RegistryEnv {
  readonly REGISTRY: DurableObjectNamespace
}

/** The Durable Object of the registry, and of its replicas. Its code is read by the first order. */
export class Registry {
  readonly #storage: DurableObjectStorage
  readonly #env: RegistryEnv
  #state: RegistryState | undefined
  #replica: Replica | undefined

  constructor(state: DurableObjectState, env: RegistryEnv) {
    this.#storage = state.storage
    this.#env = env
  }

  /** Carries out one order. */
  async fetch(request: Request): Promise<Response> {
    try {
      const { order, input, note } = await request.json<Ordered>()
      const isReplica = new URL(request.url).pathname === REPLICA
      const answer = isReplica ? this.#lookup(input as Lookup) : this.#take(order, input, note)
      return Response.json((await answer) ?? null)
    } catch (error) {
      // The Worker only hears that the object failed.
      console.error(error)
      throw error
    }
  }

  async #take(order: string, input: unknown, note?: ChangeNote): Promise<unknown> {
    const { RegistryState } = await import('./registry-state.ts')
    this.#state ??= new RegistryState(this.#storage)
    return this.#state.take(order, input, note)
  }

  async #lookup(asked: Lookup): Promise<Found | undefined> {
    const { Replica } = await import('./replica.ts')
    this.#replica ??= new Replica(this.#storage, registryIn(this.#env.REGISTRY))
    return this.#replica.lookup(asked)
  }
}

interface Ordered {
  readonly order: string
  readonly input: unknown
  readonly note?: ChangeNote
}

const REPLICA = '/replica'

/** How a Worker reaches the registry: the one object of this namespace that is no replica. */
export const registryIn =
  (namespace: DurableObjectNamespace): AskRegistry =>
  (order, input, note) =>
    ask(namespace, 'registry', '/', { order, input, note })

/** Asks a replica of the registry. It says nothing if it has no copy that is new enough. */
export type AskReplica = (asked: Lookup) => Promise<Found | undefined>

/** How an isolate reaches its replica: one of so many, and always the same. Undefined if there are none. */
export function replicaIn(
  namespace: DurableObjectNamespace,
  replicas: number,
): AskReplica | undefined {
  if (replicas < 1) return undefined
  const name = `replica-${Math.floor(Math.random() * replicas)}`
  return (input) => ask(namespace, name, REPLICA, { order: 'lookup', input })
}

async function ask<Answer>(
  namespace: DurableObjectNamespace,
  name: string,
  path: string,
  asked: object,
): Promise<Answer | undefined> {
  const object = namespace.get(namespace.idFromName(name))
  const body = JSON.stringify(asked)
  const answer = await object.fetch(`https://registry${path}`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`The registry answered ${answer.status}.`)
  return ((await answer.json()) as Answer | null) ?? undefined
}
