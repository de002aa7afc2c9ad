import { isWeak, MIN_SECRET_CHARACTERS, once } from '../../ground/index.ts'
import { fromBase64Url, toBase64Url } from '../../mcp/index.ts'

/** A stored credential. Without the deployment's secret, it reveals only its length. */
export interface SealedCredential {
  /** Identifies the key that opens it, and reveals nothing about the key. */
  readonly keyId: string
  readonly iv: string
  readonly text: string
}

/** Seals database credentials at rest, and opens them (AES-256-GCM). */
export interface CredentialKeys {
  /**
   * Seals a string.
   *
   * @param bound its purpose, such as `shop/main`. It opens only for the same purpose.
   */
  seal(text: string, bound: string): Promise<SealedCredential>
  /** The string. Undefined if it was changed, or sealed with another secret or for another purpose. */
  open(sealed: SealedCredential, bound: string): Promise<string | undefined>
  /** True if it is sealed with the current secret. After a rotation it is not, and must be resealed. */
  isCurrent(sealed: SealedCredential): Promise<boolean>
}

/** The deployment's secrets that seal credentials. */
export interface CredentialSecrets {
  readonly TIDEGATE_SECRET?: string | undefined
  /** The previous secret, as long as there are credentials sealed with it. It is used only to open them. */
  readonly TIDEGATE_SECRET_PREVIOUS?: string | undefined
}

const IV_BYTES = 12
const KEY_ID_BYTES = 9
const encoder = new TextEncoder()
// A string can start with a byte order mark.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The keys derived from the secrets. Throws if {@link secretProblem} finds a problem. */
export function credentialKeys(secrets: CredentialSecrets): CredentialKeys {
  const { TIDEGATE_SECRET: secret = '', TIDEGATE_SECRET_PREVIOUS: previous } = secrets
  const problem = secretProblem(secret)
  if (problem) throw new TypeError(problem)
  const current = once(() => derive(secret))
  const readable = previous ? [current, once(() => derive(previous))] : [current]
  return {
    async seal(text, bound) {
      const { id, key } = await current()
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const bytes = await crypto.subtle.encrypt(aesGcm(iv, bound), key, encoder.encode(text))
      return { keyId: id, iv: toBase64Url(iv), text: toBase64Url(new Uint8Array(bytes)) }
    },
    async open(sealed, bound) {
      for (const derived of readable) {
        const { id, key } = await derived()
        if (id === sealed.keyId) return decrypted(sealed, bound, key)
      }
      return undefined
    },
    async isCurrent({ keyId }) {
      return keyId === (await current()).id
    },
  }
}

/** Reason a secret cannot seal anything, as a message for the operator. */
export function secretProblem(secret = ''): string | undefined {
  if (!isWeak(secret)) return undefined
  const what = secret ? 'is too easy to guess' : 'is not set'
  return `The secret TIDEGATE_SECRET, which credentials and sign-ins are sealed with, ${what}. Make one with ${MIN_SECRET_CHARACTERS} or more characters: openssl rand -base64 32`
}

/** A warning for an operator whose key is easy to guess. The next release refuses such a key. */
export const keyProblem = (key: string | undefined): string | undefined =>
  key && isWeak(key) ? WEAK_KEY : undefined

const WEAK_KEY =
  'TIDEGATE_KEY may be guessed: it has fewer than 32 characters, or fewer than 8 different ones. The next release refuses it. Make another one with: openssl rand -hex 32'

async function decrypted({ iv, text }: SealedCredential, bound: string, key: CryptoKey) {
  try {
    const algorithm = aesGcm(fromBase64Url(iv), bound)
    return decoder.decode(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(text)))
  } catch {
    return undefined
  }
}

const aesGcm = (iv: Uint8Array<ArrayBuffer>, bound: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(bound),
})

async function derive(secret: string): Promise<{ readonly id: string; readonly key: CryptoKey }> {
  const { subtle } = crypto
  const bytes = encoder.encode(secret)
  const material = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])
  const hkdf = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode(info),
  })
  const id = await subtle.deriveBits(hkdf('credential key id'), material, 8 * KEY_ID_BYTES)
  const aes = { name: 'AES-GCM', length: 256 }
  const key = await subtle.deriveKey(hkdf('credential'), material, aes, false, [
    'encrypt',
    'decrypt',
  ])
  return { id: toBase64Url(new Uint8Array(id)), key }
}
