import { resourceOf } from '../resource.ts'

/**
 * Writes the parameter `resource` (RFC 8707) as the library knows it: the origin alone, and a slash at the end,
 * are understood. Returns the name of the endpoint that it is about, if it names one.
 */
export function readResource(params: URLSearchParams, origin: string): string | undefined {
  const named = params.getAll('resource')
  if (named.length !== 1) return undefined
  const text = named[0]!
  const plain = text.endsWith('/') ? text.slice(0, -1) : text
  const resource = plain === origin ? resourceOf(origin) : plain
  params.set('resource', resource)
  return endpointOf(resource, origin)
}

/** The name of the endpoint that a resource is, if it is not all of them. */
export function endpointOf(resource: string, origin: string): string | undefined {
  const prefix = `${resourceOf(origin)}/`
  const name = resource.startsWith(prefix) ? resource.slice(prefix.length) : ''
  return NAME.test(name) ? name : undefined
}

/** How an endpoint may be called. */
const NAME = /^[a-z][a-z0-9_-]{0,30}$/
