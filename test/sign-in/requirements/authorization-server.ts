import { expect, test } from 'vitest'
import type { Host } from './host.ts'

/** The requirements of RFC 8414 and RFC 9207 for an authorization server's metadata. */
export function authorizationServer(given: () => Host): void {
  test('the authorization server’s metadata is at the well-known path, as JSON', async () => {
    const answer = await fetch(`${given().url}/.well-known/oauth-authorization-server`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
  })

  test('the issuer is the URL that was requested, without query and fragment', () => {
    const { server, url } = given()
    expect(server.issuer).toBe(url)
    expect(new URL(server.issuer)).toMatchObject({ search: '', hash: '', username: '' })
  })

  test('the metadata has all required fields, and no empty list', () => {
    const { server } = given()
    for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
      expect(String(server[name])).toMatch(new RegExp(`^${server.issuer}/[^?#]+$`))
    }
    expect(server.response_types_supported).toEqual(['code'])
    expect(server.grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
    expect(Object.values(server).filter((it) => Array.isArray(it) && it.length === 0)).toEqual([])
  })

  test('the metadata lists the algorithms for signed assertions, without none', () => {
    const { server } = given()
    for (const endpoint of ['token', 'revocation']) {
      const methods = server[`${endpoint}_endpoint_auth_methods_supported`] ?? []
      if (!(methods as string[]).includes('private_key_jwt')) continue
      const algorithms = server[`${endpoint}_endpoint_auth_signing_alg_values_supported`]
      expect(algorithms).toEqual(expect.arrayContaining(['RS256', 'ES256']))
      expect(algorithms).not.toContain('none')
    }
    expect(server.token_endpoint_auth_methods_supported).toContain('none')
  })

  test('the metadata promises iss and S256, and nothing weaker', () => {
    const { server } = given()
    expect(server.authorization_response_iss_parameter_supported).toBe(true)
    expect(server.code_challenge_methods_supported).toEqual(['S256'])
  })
}
