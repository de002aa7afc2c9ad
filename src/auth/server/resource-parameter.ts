import { resourceOf } from '../resource.ts'

/**
 * Rewrites the parameter `resource` (RFC 8707) in the form that the library recognizes. A bare origin or a trailing
 * slash is accepted. Returns the name of the endpoint, if there is one.
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

/** The name of the endpoint in a resource; undefined if it names none. */
export function endpointOf(resource: string, origin: string): string | undefined {
  const prefix = `${resourceOf(origin)}/`
  const name = resource.startsWith(prefix) ? resource.slice(prefix.length) : ''
  return NAME.test(name) ? name : undefined
}

/** Pattern of an endpoint's name. */
const NAME = /^[a-z][a-z0-9_-]{0,30}$/
