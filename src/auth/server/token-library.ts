import type { EmaOptions } from '@cloudflare/workers-oauth-provider'
import { Recent } from '../../registry/index.ts'
import type { SignInEnv } from '../settings.ts'
import { type Library, libraryFor } from './library.ts'
import { endpointOf, readResource } from './resource-parameter.ts'

/** A request to the token endpoint. */
export interface Asked {
  readonly url: string
  readonly authorization: string | null
  readonly form: URLSearchParams
  /** The app that it says it comes from. */
  readonly clientId: string | undefined
}

interface Surroundings {
  readonly env: SignInEnv
  readonly enterprise: EmaOptions<unknown> | undefined
  send(library: Library, request: Request): Promise<Response>
}

/** The token endpoint of the library. */
export class TokenLibrary {
  readonly #around: Surroundings
  /** Those that hold the keys of an enterprise, by what they are for. */
  readonly #kept = new Recent<Library>({ entries: 100, size: 100 })

  constructor(around: Surroundings) {
    this.#around = around
  }

  /**
   * Asks the library.
   *
   * @param form in place of what was asked
   * @param granted the resource that the grant is for
   */
  async ask(
    { url, authorization }: Asked,
    form: URLSearchParams,
    granted?: string,
  ): Promise<Response> {
    const { origin } = new URL(url)
    const asked = readResource(form, origin)
    const name = granted === undefined ? asked : endpointOf(granted, origin)
    const library = await this.#libraryFor(origin, name)
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
    if (authorization !== null) headers.set('authorization', authorization)
    const init = { method: 'POST', headers, body: form.toString() }
    const answer = await this.#around.send(library, new Request(url, init))
    // Some clients know only `Bearer`, with a capital.
    const text = (await answer.text()).replace('"token_type":"bearer"', '"token_type":"Bearer"')
    const proper = new Response(text, answer)
    proper.headers.set('cache-control', 'no-store')
    return proper
  }

  /** The library remembers the keys of an enterprise's provider, and fetches them anew once it is made anew. */
  async #libraryFor(origin: string, name: string | undefined): Promise<Library> {
    const { env, enterprise } = this.#around
    if (!enterprise) return libraryFor(origin, name, env)
    const key = `${origin} ${name ?? ''}`
    const library = this.#kept.get(key) ?? (await libraryFor(origin, name, env, { enterprise }))
    this.#kept.set(key, library, 1)
    return library
  }
}
