import { fromBase64Url, toBase64Url } from '../mcp/index.ts'

/** A credential as it is stored: without the secret of the deployment it says nothing but its length. */
export interface SealedCredential {
  /** Names the key that opens it, and tells nothing about it. */
  readonly keyId: string
  readonly iv: string
  readonly text: string
}

/** Seals the credentials of databases at rest, and opens them (AES-256-GCM). */
export interface CredentialKeys {
  /**
   * Seals a text.
   *
   * @param bound what it is for, such as `shop/main`: it opens only for the same
   */
  seal(text: string, bound: string): Promise<SealedCredential>
  /** The text; undefined if it was sealed with another secret, or for something else, or changed. */
  open(sealed: SealedCredential, bound: string): Promise<string | undefined>
  /** Whether it is sealed with the current secret. If not, it is to be sealed anew after a rotation. */
  isCurrent(sealed: SealedCredential): Promise<boolean>
}

/** The secrets of the Worker that credentials are sealed with. */
export interface CredentialSecrets {
  readonly TIDEGATE_SECRET?: string | undefined
  /** The one before, while credentials sealed with it remain. It only opens. */
  readonly TIDEGATE_SECRET_PREVIOUS?: string | undefined
}

const IV_BYTES = 12
const KEY_ID_BYTES = 9
const encoder = new TextEncoder()
// A text may begin with a byte order mark.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The keys that the secrets stand for. Throws if {@link secretProblem} has something to say. */
export function credentialKeys(secrets: CredentialSecrets): CredentialKeys {
  const { TIDEGATE_SECRET: secret = '', TIDEGATE_SECRET_PREVIOUS: previous } = secrets
  const problem = secretProblem(secret)
  if (problem) throw new TypeError(problem)
  const current = keyOf(secret)
  const readable = previous ? [current, keyOf(previous)] : [current]
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

/** Fewer say that it was typed rather than drawn. */
const MIN_CHARACTERS = 32
const MIN_DIFFERENT_CHARACTERS = 8

/** Why nothing can be sealed with a secret, in a sentence for the operator. */
export function secretProblem(secret = ''): string | undefined {
  if (secret.length >= MIN_CHARACTERS && new Set(secret).size >= MIN_DIFFERENT_CHARACTERS) {
    return undefined
  }
  const what = secret ? 'is too easy to guess' : 'is not set'
  return `The secret TIDEGATE_SECRET, which credentials and sign-ins are sealed with, ${what}. Make one of ${MIN_CHARACTERS} characters or more with: openssl rand -base64 32`
}

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

interface Key {
  readonly id: string
  readonly key: CryptoKey
}

/** The key of a secret, derived at first use. If that fails, the next use tries again. */
function keyOf(secret: string): () => Promise<Key> {
  let derived: Promise<Key> | undefined
  return () => {
    derived ??= derive(secret).catch((error) => {
      derived = undefined
      throw error
    })
    return derived
  }
}

async function derive(secret: string): Promise<Key> {
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
