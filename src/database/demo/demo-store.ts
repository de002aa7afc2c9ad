import type { DemoQuery, Shop } from './shop.ts'

/** The Durable Object of the demo database. A deployment without the demo never loads the code of the shop. */
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
      // The Worker only hears that the object failed.
      console.error(error)
      throw error
    }
  }
}
