import type { SignInEnv } from '../settings.ts'
import { type Library, libraryFor } from './library.ts'
import { readResource } from './resource-parameter.ts'

/** The token endpoint, and revocation: the library's, and what real clients need besides. */
export class TokenEndpoint {
  readonly #env: SignInEnv
  readonly #ask: (library: Library, request: Request) => Promise<Response>

  constructor(env: SignInEnv, ask: (library: Library, request: Request) => Promise<Response>) {
    this.#env = env
    this.#ask = ask
  }

  async fetch(request: Request): Promise<Response> {
    const { url, headers } = request
    const { origin } = new URL(url)
    const form = new URLSearchParams(await request.text())
    const name = readResource(form, origin)
    const body = form.toString()
    const library = await libraryFor(origin, name, this.#env)
    const answer = await this.#ask(library, new Request(url, { method: 'POST', headers, body }))
    // Some clients know only `Bearer`, with a capital.
    const text = (await answer.text()).replace('"token_type":"bearer"', '"token_type":"Bearer"')
    return new Response(text, answer)
  }
}
