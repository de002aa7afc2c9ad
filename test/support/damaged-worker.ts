import type { Env } from '../../src/door/deployment.ts'
import { Registry as Whole } from '../../src/index.ts'
import worker from './registry-worker.ts'

export * from '../../src/index.ts'

/** The registry, with a route for tests that changes its storage in ways that no command does. */
export class Registry {
  readonly #state: DurableObjectState
  #whole: Whole

  constructor(state: DurableObjectState) {
    this.#state = state
    this.#whole = new Whole(state)
  }

  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/damage') return this.#whole.fetch(request)
    this.#state.storage.sql.exec(await request.text())
    // Like after a restart.
    this.#whole = new Whole(this.#state)
    return new Response('done')
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!request.url.endsWith('/test/damage')) return worker.fetch(request, env)
    const registry = env.REGISTRY.get(env.REGISTRY.idFromName('registry'))
    return registry.fetch('https://registry/damage', {
      method: 'POST',
      body: await request.text(),
    })
  },
}
