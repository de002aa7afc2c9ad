import { fromBase64Url, toBase64Url } from '../wire/base64-url.ts'
import { isObject } from '../wire/jsonrpc.ts'

/**
 * Seals values that travel through a client. The client cannot read or change them, or use them for
 * another purpose (AES-256-GCM with the purpose as additional data).
 */
export interface Seal {
  seal(value: unknown, purpose: string): Promise<string>
  /** The value, or undefined if the string was not sealed here for this purpose. */
  open(text: string, purpose: string): Promise<unknown>
  /**
   * A signature of a string that only this seal can make. It has only 128 bits, because models read it (RFC
   * 2104, section 5).
   */
  sign(text: string): Promise<string>
  /** True if this is a signature of the string, made with the current or the previous secret. */
  isSigned(text: string, signature: string): Promise<boolean>
}

const NONCE_BYTES = 12
const encoder = new TextEncoder()

/**
 * A seal with keys derived from a secret, which is fetched on first use. With a shared secret, every
 * isolate can open values that another one sealed. Without a secret, it is random, and only this isolate
 * can open them.
 *
 * @param previous The secret before a rotation: values sealed and signed with it stay valid.
 */
export function sealWith(
  secret: string | (() => Promise<string>) = randomSecret,
  previous?: string,
): Seal {
  // Another reason to wait for the first use: workerd has no random bytes in the global scope.
  const current = lazyKeys(typeof secret === 'string' ? async () => secret : secret)
  const all = previous === undefined ? [current] : [current, lazyKeys(async () => previous)]
  return {
    async seal(value, purpose) {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const additionalData = encoder.encode(purpose)
      const plain = encoder.encode(JSON.stringify(value))
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData },
        (await current()).sealing,
        plain,
      )
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(sealed), NONCE_BYTES)
      return toBase64Url(bytes)
    },
    async open(text, purpose) {
      for (const keys of all) {
        const found = await opened(text, purpose, (await keys()).sealing)
        if (found !== undefined) return found
      }
      return undefined
    },
    async sign(text) {
      return signature(text, (await current()).signing)
    },
    async isSigned(text, given) {
      for (const keys of all) {
        if (given === (await signature(text, (await keys()).signing))) return true
      }
      return false
    },
  }
}

function lazyKeys(secret: () => Promise<string>): () => Promise<Keys> {
  let keys: Keys | undefined
  return async () => {
    const made = keys ?? (await deriveKeys(await secret()))
    // If two first uses overlap, both get the keys that are ready first.
    keys ??= made
    return keys
  }
}

async function opened(text: string, purpose: string, key: CryptoKey): Promise<unknown> {
  try {
    const bytes = fromBase64Url(text)
    const algorithm = {
      name: 'AES-GCM',
      iv: bytes.subarray(0, NONCE_BYTES),
      additionalData: encoder.encode(purpose),
    }
    const plain = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(NONCE_BYTES))
    return JSON.parse(new TextDecoder().decode(plain))
  } catch {
    return undefined
  }
}

async function signature(text: string, key: CryptoKey): Promise<string> {
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(text))
  return toBase64Url(new Uint8Array(signed, 0, 16))
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

/** The same string for equal values, regardless of the order of keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${fields.join()}}`
}
