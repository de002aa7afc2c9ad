import { READ } from '../registry/index.ts'
import { issuersOf, type SignInEnv } from './settings.ts'

/** The URL of an endpoint, to which a token is bound (RFC 8707); without a name, the URL of `/mcp`. */
export const resourceOf = (origin: string, name = ''): string =>
  `${origin}/mcp${name && `/${name}`}`

/** The URL of an endpoint's metadata (RFC 9728, section 3.1). */
export const metadataUrlOf = (origin: string, name = ''): string =>
  `${origin}${METADATA_PATH}${name && `/${name}`}`

const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** The name of the endpoint whose metadata is at this path: empty for `/mcp`, undefined for any other path. */
export function nameIn(path: string): string | undefined {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path
  if (plain === METADATA_PATH) return ''
  return plain.startsWith(`${METADATA_PATH}/`) ? plain.slice(METADATA_PATH.length + 1) : undefined
}

/** The metadata of an endpoint (RFC 9728, section 2). */
export const resourceMetadata = (env: SignInEnv, origin: string, name?: string): object => ({
  resource: resourceOf(origin, name),
  authorization_servers: issuersOf(env, origin),
  scopes_supported: [READ],
  bearer_methods_supported: ['header'],
  resource_name: 'Tidegate',
})

/** A token error (RFC 6750, section 3.1), as a code and a message. */
export interface BearerFault {
  readonly error: 'invalid_token' | 'insufficient_scope'
  readonly why: string
}

/** Removes the characters that a description cannot contain (RFC 6750, section 3). */
const described = (why: string) => why.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '')

/**
 * The `WWW-Authenticate` header for a refusal (RFC 6750, section 3; RFC 9728, section 5.1). It includes an error only
 * if the request had a token or key, and a metadata URL only if people can sign in. Some hosts show this header and
 * nothing else, so its realm says what to send when it cannot include an error.
 */
export function challengeOf(
  env: SignInEnv,
  resource: { readonly origin: string; readonly name?: string | undefined } | undefined,
  fault?: BearerFault,
  hint?: string,
): string {
  const parts = [`realm="Tidegate${hint === undefined ? '' : `: ${described(hint)}`}"`]
  if (resource && issuersOf(env, resource.origin).length > 0) {
    parts.push(`resource_metadata="${metadataUrlOf(resource.origin, resource.name)}"`)
    parts.push(`scope="${READ}"`)
  }
  if (fault) parts.push(`error="${fault.error}"`, `error_description="${described(fault.why)}"`)
  return `Bearer ${parts.join(', ')}`
}
