import type { EmaOptions } from '@cloudflare/workers-oauth-provider'
import { BoundedMap } from '../../ground/index.ts'
import type { SignInEnv } from '../settings.ts'
import { type Library, libraryFor } from './library.ts'
import { endpointOf, readResource } from './resource-parameter.ts'

/** A request to the token endpoint. */
export interface TokenRequest {
  readonly url: string
  readonly authorization: string | null
  readonly form: URLSearchParams
  /** The client ID in the request. */
  readonly clientId: string | undefined
}

/** Sends requests to the library's token endpoint. */
export interface TokenLibrary {
  /**
   * @param form replaces the form in the request
   * @param granted the resource of the grant
   */
  ask(asked: TokenRequest, form: URLSearchParams, granted?: string): Promise<Response>
}

/** The library's token endpoint. */
export function tokenLibrary(
  env: SignInEnv,
  enterprise: EmaOptions<unknown> | undefined,
  send: (library: Library, request: Request) => Promise<Response>,
): TokenLibrary {
  // The library caches an enterprise's keys, which a new instance would fetch again.
  const kept = new BoundedMap<Library>({ entries: 100 })
  return {
    async ask({ url, authorization }, form, granted) {
      const { origin } = new URL(url)
      const asked = readResource(form, origin)
      const name = granted === undefined ? asked : endpointOf(granted, origin)
      const key = `${origin} ${name ?? ''}`
      const library = kept.get(key) ?? (await libraryFor(origin, name, env, { enterprise }))
      if (enterprise) kept.set(key, library)
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
      if (authorization !== null) headers.set('authorization', authorization)
      const init = { method: 'POST', headers, body: form.toString() }
      const answer = await send(library, new Request(url, init))
      const proper = new Response(withCapital(await answer.text()), answer)
      proper.headers.set('cache-control', 'no-store')
      return proper
    },
  }
}

/**
 * Writes the token type in the form that all clients accept: some accept only `Bearer`, with a capital letter. The
 * response to a revocation has no body.
 */
function withCapital(text: string): string {
  const body = text === '' ? {} : (JSON.parse(text) as { readonly token_type?: string })
  return body.token_type === 'bearer' ? JSON.stringify({ ...body, token_type: 'Bearer' }) : text
}
