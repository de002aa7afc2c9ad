import { ToolError } from 'tidegate/mcp'
import * as z from 'zod'
import { ask } from './answer.ts'

/** The audience of a JWT for Google, even if the token comes from another URL. */
const AUDIENCE = 'https://oauth2.googleapis.com/token'
const SCOPE = 'https://www.googleapis.com/auth/spreadsheets'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** A token that expires within this time is no longer used. */
const MARGIN_MS = 60_000

const keyFile = z.object({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string(),
})

/** The key of a service account, as Google issues it: the JSON of a file. */
export type KeyFile = z.infer<typeof keyFile>

/** Reads it. The error message does not contain the key. */
export function readKeyFile(json: string | undefined): KeyFile {
  if (!json) throw new ToolError('This server needs GOOGLE_SERVICE_ACCOUNT.')
  try {
    return keyFile.parse(JSON.parse(json))
  } catch {
    throw new ToolError('GOOGLE_SERVICE_ACCOUNT is not the JSON key of a service account.')
  }
}

/**
 * The access token of a service account, cached until it expires.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export class GoogleToken {
  readonly #url: string
  // The token itself, not a promise, because a promise belongs to the request that made it.
  #kept: { readonly token: string; readonly until: number } | undefined

  constructor(url: string) {
    this.#url = url
  }

  async get(key: KeyFile, signal: AbortSignal): Promise<string> {
    if (this.#kept && Date.now() < this.#kept.until) return this.#kept.token
    const assertion = await signedBy(key)
    const body = new URLSearchParams({ grant_type: GRANT, assertion })
    const answer = await ask("Google's token server", this.#url, { body }, signal)
    const given = grant.safeParse(answer.body).data
    if (answer.status === 200 && given) {
      const until = Date.now() + given.expires_in * 1_000 - MARGIN_MS
      this.#kept = { token: given.access_token, until }
      return given.access_token
    }
    if (answer.status >= 500) throw new ToolError('Google issues no token now. Call again later.')
    throw new ToolError(
      'Google refuses the key of the service account. Its owner has to replace GOOGLE_SERVICE_ACCOUNT.',
    )
  }

  /** Drops a token that Google no longer accepts. */
  forget(): void {
    this.#kept = undefined
  }
}

const grant = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/),
  expires_in: z.number(),
})

/** A JWT signed with RS256, as in RFC 7515. */
async function signedBy({ client_email, private_key, private_key_id }: KeyFile): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const head = { alg: 'RS256', typ: 'JWT', kid: private_key_id }
  const claims = { iss: client_email, scope: SCOPE, aud: AUDIENCE, iat: now, exp: now + 3_600 }
  const bytes = (text: string) => new TextEncoder().encode(text)
  const signed = [head, claims].map((it) => base64Url(bytes(JSON.stringify(it)))).join('.')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle
    .importKey('pkcs8', bytesOf(private_key), algorithm, false, ['sign'])
    .catch(() => {
      throw new ToolError('The private key in GOOGLE_SERVICE_ACCOUNT cannot be read.')
    })
  const signature = await crypto.subtle.sign(algorithm, key, bytes(signed))
  return `${signed}.${base64Url(new Uint8Array(signature))}`
}

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The bytes in a PEM file; none if it is not a PEM file. */
function bytesOf(pem: string): Uint8Array<ArrayBuffer> {
  try {
    const base64 = atob(pem.replace(/-----[^-]*-----/g, '').replace(/\s/g, ''))
    return Uint8Array.from(base64, (it) => it.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
