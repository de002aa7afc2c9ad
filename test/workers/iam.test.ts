import { afterEach, expect, test, vi } from 'vitest'
import { tokenLogin, withPassword } from '../../src/database/iam/token-login.ts'

afterEach(() => vi.useRealTimers())

const { signal } = new AbortController()

test('the Workers runtime signs an RDS token as AWS does', async () => {
  vi.useFakeTimers({ now: Date.UTC(2016, 10, 7, 17, 39, 33), toFake: ['Date'] })
  const params = new URLSearchParams('auth=rds-iam')
  const host = 'prod-instance.us-east-1.rds.amazonaws.com'
  const place = { host, port: 3306, user: 'someusername', password: '' }
  const bindings = { AWS_ACCESS_KEY_ID: 'akid', AWS_SECRET_ACCESS_KEY: 'skid' }
  const login = { password: '', token: tokenLogin(params, place) }
  // From the tests in the AWS SDK for Python.
  expect((await withPassword(login, { fetch, bindings }, signal)).password).toMatch(
    /^prod-instance\.us-east-1\.rds\.amazonaws\.com:3306\/\?.*d1138cdbc0ca63eec012ec0fc6c2267e03642168f5884a7795320d4c18374c61$/,
  )
})

test('the Workers runtime signs the assertion that Google exchanges for a token', async () => {
  const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const size = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
  const keys = (await crypto.subtle.generateKey({ ...RS256, ...size }, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const bytes = (await crypto.subtle.exportKey('pkcs8', keys.privateKey)) as ArrayBuffer
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  const file = {
    client_email: 'reader@shop-123.iam.gserviceaccount.com',
    private_key_id: 'one',
    private_key: `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`,
  }
  let signed: boolean | undefined
  const send = (async (_url, init) => {
    const [head, claims, signature] = new URLSearchParams(String(init!.body))
      .get('assertion')!
      .split('.')
    const bytes = atob(signature!.replaceAll('-', '+').replaceAll('_', '/'))
    const shown = Uint8Array.from(bytes, (it) => it.charCodeAt(0))
    const text = new TextEncoder().encode(`${head}.${claims}`)
    signed = await crypto.subtle.verify(RS256, keys.publicKey, shown, text)
    return Response.json({ access_token: 'ya29.x', expires_in: 3_599 })
  }) as typeof fetch
  const bindings = {
    GOOGLE_SERVICE_ACCOUNT_KEY: JSON.stringify(file),
    GOOGLE_IAM_HOSTS: 'db.example.com',
  }
  const params = new URLSearchParams('auth=cloudsql-iam')
  const place = { host: 'db.example.com', port: 5432, user: 'reader', password: '' }
  const login = { password: '', token: tokenLogin(params, place) }
  const { password } = await withPassword(login, { fetch: send, bindings }, signal)
  expect(password).toBe('ya29.x')
  expect(signed).toBe(true)
})
