import { issuersOf, type SignInEnv } from './settings.ts'

/** The right to read databases: what every endpoint needs, and nothing else yet (RFC 6749, section 3.3). */
export const READ = 'db:read'

/** The URL of an endpoint, which a token is bound to (RFC 8707); without a name, that of `/mcp`. */
export const resourceOf = (origin: string, name = ''): string =>
  `${origin}/mcp${name && `/${name}`}`

/** Where the metadata of an endpoint is (RFC 9728, section 3.1). */
export const metadataUrlOf = (origin: string, name = ''): string =>
  `${origin}${METADATA_PATH}${name && `/${name}`}`

const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** The name of the endpoint whose metadata is at this path, which is empty for `/mcp`; undefined if none is. */
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

/** What is wrong with a token (RFC 6750, section 3.1), in a word and in a sentence. */
export interface TokenFault {
  readonly error: 'invalid_token' | 'insufficient_scope'
  readonly why: string
}

/**
 * The `WWW-Authenticate` header of a refusal (RFC 6750, section 3; RFC 9728, section 5.1). It names an error only
 * if a token or key was shown. Without a sign-in, it leads nowhere.
 */
export function challengeOf(
  env: SignInEnv,
  resource: { readonly origin: string; readonly name?: string | undefined } | undefined,
  fault?: TokenFault,
): string {
  const parts = ['realm="Tidegate"']
  if (resource && issuersOf(env, resource.origin).length > 0) {
    parts.push(`resource_metadata="${metadataUrlOf(resource.origin, resource.name)}"`)
    parts.push(`scope="${READ}"`)
  }
  if (fault) parts.push(`error="${fault.error}"`, `error_description="${fault.why}"`)
  return `Bearer ${parts.join(', ')}`
}
