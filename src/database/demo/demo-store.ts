import { shop } from '../drivers/shop.ts'
import type { DemoQuery, Shop } from './shop.ts'

/** The Durable Object in which the demo database lives. What it does is read when it is first asked. */
export class DemoStore {
  readonly #storage: DurableObjectStorage
  #shop: Shop | undefined

  constructor(state: DurableObjectState) {
    this.#storage = state.storage
  }

  /** Answers a {@link DemoQuery} with a DemoAnswer. */
  async fetch(request: Request): Promise<Response> {
    const [query, { Shop }] = await Promise.all([request.json<DemoQuery>(), shop()])
    this.#shop ??= new Shop(this.#storage)
    return Response.json(this.#shop.answer(query))
  }
}
