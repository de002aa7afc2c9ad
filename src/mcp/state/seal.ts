import { fromBase64Url, toBase64Url } from '../wire/base64-url.ts'
import { isObject } from '../wire/jsonrpc.ts'

/**
 * Seals values that travel through a client. The client cannot read or change them, or use them for
 * another purpose (AES-256-GCM with the purpose as additional data).
 */
export interface Seal {
  seal(value: unknown, purpose: string): Promise<string>
  /** The value, or undefined if the text was not sealed here for this purpose. */
  open(text: string, purpose: string): Promise<unknown>
  /**
   * A signature of a text that only this seal can make. 128 bits, as models read it (RFC 2104,
   * section 5).
   */
  sign(text: string): Promise<string>
}

const NONCE_BYTES = 12
const encoder = new TextEncoder()

/**
 * A seal with keys derived from a secret, which is fetched at first use. With a shared secret, all
 * isolates open what one has sealed. Without one, the secret is random and only this isolate does.
 */
export function sealWith(secret: string | (() => Promise<string>) = randomSecret): Seal {
  // Another reason to wait for the first use: workerd has no random bytes in the global scope.
  let keys: Keys | undefined
  const keyed = async () =>
    (keys ??= await deriveKeys(typeof secret === 'string' ? secret : await secret()))
  return {
    async seal(value, purpose) {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const additionalData = encoder.encode(purpose)
      const plain = encoder.encode(JSON.stringify(value))
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData },
        (await keyed()).sealing,
        plain,
      )
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(sealed), NONCE_BYTES)
      return toBase64Url(bytes)
    },
    async open(text, purpose) {
      try {
        const bytes = fromBase64Url(text)
        const algorithm = {
          name: 'AES-GCM',
          iv: bytes.subarray(0, NONCE_BYTES),
          additionalData: encoder.encode(purpose),
        }
        const plain = await crypto.subtle.decrypt(
          algorithm,
          (await keyed()).sealing,
          bytes.subarray(NONCE_BYTES),
        )
        return JSON.parse(new TextDecoder().decode(plain))
      } catch {
        return undefined
      }
    },
    async sign(text) {
      const bytes = encoder.encode(text)
      const signature = await crypto.subtle.sign('HMAC', (await keyed()).signing, bytes)
      return toBase64Url(new Uint8Array(signature, 0, 16))
    },
  }
}

const randomSecret = async () => crypto.randomUUID() + crypto.randomUUID()

interface Keys {
  readonly sealing: CryptoKey
  readonly signing: CryptoKey
}

async function deriveKeys(secret: string): Promise<Keys> {
  const { subtle } = crypto
  const bytes = encoder.encode(secret)
  const material = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
  const from = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode(info),
  })
  const aes = { name: 'AES-GCM', length: 256 }
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  return {
    sealing: await subtle.deriveKey(from('seal'), material, aes, false, ['encrypt', 'decrypt']),
    signing: await subtle.deriveKey(from('sign'), material, hmac, false, ['sign']),
  }
}

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${fields.join()}}`
}
