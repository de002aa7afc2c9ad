import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { personOfJwt } from '../../src/auth/jwt.ts'

const resource = 'https://gate.example/mcp'

/** An issuer that publishes one key, and a token that is signed with it. */
async function issuerWith(alg: string, issuer = `https://${alg.toLowerCase()}.example`) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: '1' }]
  const token = await new SignJWT({ iss: issuer, sub: 'ada', aud: resource, name: 'ada' })
    .setProtectedHeader({ alg, kid: '1' })
    .setExpirationTime('1 minute')
    .sign(privateKey)
  const answering: typeof fetch = async (input) =>
    Response.json(
      String(input).endsWith('/keys') ? { keys } : { issuer, jwks_uri: `${issuer}/keys` },
    )
  return { issuer, token, answering }
}

describe('an access token from another issuer, in the Workers runtime', () => {
  test.each([
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
    ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ])('can be signed with %s', async (alg) => {
    const { issuer, token, answering } = await issuerWith(alg)
    const settings = { issuer, resource, SIGN_IN_PERSON_CLAIM: 'name' }
    expect(await personOfJwt(token, settings, answering)).toHaveProperty('person')
    const [header, claims, signature = ''] = token.split('.')
    const other = signature.startsWith('A') ? 'B' : 'A'
    const forged = `${header}.${claims}.${other}${signature.slice(1)}`
    expect(await personOfJwt(forged, settings, answering)).toHaveProperty('wrong')
  })

  test('cannot be verified if the issuer’s response is too large', async () => {
    const { issuer, token } = await issuerWith('ES256', 'https://endless.example')
    const endless: typeof fetch = async () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        }),
      )
    expect(await personOfJwt(token, { issuer, resource }, endless)).toHaveProperty('fault')
  })
})
