import type { Context } from 'hono'
import { type App, refuse } from './admission.ts'
import { forwarded, resourceMetadata } from './auth/index.ts'
import { deploymentOf } from './deployment.ts'
import { isName } from './gateway/index.ts'

/** Bytes of a form or of a client's metadata. */
const MAX_BODY_BYTES = 64 * 1024

/** Sends what is for the authorization server to it: its pages, its endpoints, and its metadata (RFC 8414). */
export async function authorize(c: Context<App>): Promise<Response> {
  const request = c.req.raw
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) {
    return refuse(c, 413, `The body must have at most ${MAX_BODY_BYTES / 1024} KiB.`)
  }
  return forwarded(c.env.AUTHORIZATION, request)
}

/** Serves the metadata of an endpoint (RFC 9728). One that needs no sign-in has none. */
export async function describeResource(c: Context<App>): Promise<Response> {
  const name = c.req.param('endpoint')
  const { origin } = new URL(c.req.url)
  const nothing = () => refuse(c, 404, 'There is nothing to sign in to at this URL.')
  if (name && !isName(name)) return nothing()
  // An endpoint that does not exist looks like one that needs a sign-in.
  const { site } = await deploymentOf(c.env).find(name, {})
  if (site?.endpoint.access === 'public') return nothing()
  return c.json(resourceMetadata(c.env, origin, name), 200, { 'cache-control': 'no-store' })
}
