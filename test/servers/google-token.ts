import { createVerify, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const TOKEN_URL = 'https://oauth2.googleapis.com/token'

/** A service account, and the key that Google issues for it. */
export interface ServiceAccount {
  readonly email: string
  /** The file with the key. */
  readonly file: string
  readonly keyId: string
  readonly publicKey: KeyObject
}

/** Makes a service account. `more` overrides fields of its key file, such as the token URL. */
export function serviceAccount(more: Readonly<Record<string, string>> = {}): ServiceAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const name = `reader-${randomBytes(4).toString('hex')}`
  const email = `${name}@shop-123.iam.gserviceaccount.com`
  const keyId = randomBytes(20).toString('hex')
  const file = JSON.stringify({
    type: 'service_account',
    private_key_id: keyId,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: email,
    token_uri: TOKEN_URL,
    ...more,
  })
  return { email, file, keyId, publicKey }
}

/** Google's token server, for these accounts. */
export interface GoogleTokens {
  /** Answers requests to the token server as Google documents it, and rejects all others. */
  readonly fetch: typeof fetch
  /** Its answers, in short. */
  readonly answers: string[]
  /** True if it issued this token to this service account, for this scope. */
  gave(token: string, email: string, scope: string): boolean
}

/**
 * Starts one. It verifies requests with the public key, and shares no code with the client:
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function googleTokens(accounts: readonly ServiceAccount[], seconds = 3_599): GoogleTokens {
  const given = new Set<string>()
  const answers: string[] = []
  const answer = (status: number, body: object) => {
    answers.push(`${status} ${(body as { error_description?: string }).error_description ?? ''}`)
    return Response.json(body, { status })
  }
  const refuse = (why: string) => answer(400, { error: 'invalid_grant', error_description: why })

  const serve = async (request: Request): Promise<Response> => {
    if (request.url !== TOKEN_URL || request.method !== 'POST') throw new Error('not for Google')
    const form = new URLSearchParams(await request.text())
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return answer(400, { error: 'unsupported_grant_type' })
    }
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const { alg, typ, kid } = read(head)
    if (alg !== 'RS256' || typ !== 'JWT') return refuse('Invalid JWT header.')
    const { iss, scope, aud, iat, exp } = read(claims)
    const account = accounts.find(({ email, keyId }) => email === iss && keyId === kid)
    if (!account) return refuse('Invalid grant: account not found')
    const isSigned = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(account.publicKey, signature, 'base64url')
    if (!isSigned) return refuse('Invalid JWT Signature.')
    if (aud !== TOKEN_URL) return refuse('Invalid JWT: aud')
    const now = Date.now() / 1_000
    if (!(exp > now) || !(exp - iat <= 3_600) || !(Math.abs(iat - now) < 300)) {
      return refuse('Invalid JWT: iat and exp')
    }
    const access_token = `ya29.${randomBytes(60).toString('base64url')}`
    given.add(JSON.stringify([access_token, iss, scope]))
    return answer(200, { access_token, expires_in: seconds, token_type: 'Bearer' })
  }
  return {
    answers,
    fetch: async (input, init) => serve(new Request(input, init)),
    gave: (token, email, scope) => given.has(JSON.stringify([token, email, scope])),
  }
}
