import type { DemoQuery } from './read.ts'
import type { Shop } from './shop.ts'

/** The Durable Object for the demo database. A deployment without the demo never loads the shop's code. */
export class DemoStore {
  readonly #storage: DurableObjectStorage
  #shop: Shop | undefined

  constructor(state: { readonly storage: object }) {
    this.#storage = state.storage as DurableObjectStorage
  }

  /** Answers a {@link DemoQuery} with a DemoAnswer. */
  async fetch(request: Request): Promise<Response> {
    try {
      const [query, { Shop }] = await Promise.all([request.json<DemoQuery>(), import('./shop.ts')])
      this.#shop ??= new Shop(this.#storage)
      return Response.json(this.#shop.answer(query))
    } catch (error) {
      // The Worker only learns that the object failed.
      console.error(error)
      throw error
    }
  }
}
