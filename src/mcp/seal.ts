import { isObject } from './jsonrpc.ts'

/**
 * Seals values that travel through a client: it can neither read nor change them, nor use them
 * elsewhere than where they were made for (AES-256-GCM, the place as additional data).
 */
export interface Seal {
  seal(value: unknown, place: string): Promise<string>
  /** The value, or undefined if the text was not sealed here for this place. */
  open(text: string, place: string): Promise<unknown>
}

const NONCE = 12
const encoder = new TextEncoder()

/**
 * A seal whose key is derived from a secret that all isolates share; without one, from chance, so
 * that only this isolate opens what it sealed.
 */
export function sealWith(secret?: string): Seal {
  // Made at first use: workerd gives out no random bytes in the global scope.
  let key: Promise<CryptoKey> | undefined
  const keyed = () => (key ??= deriveKey(secret ?? crypto.randomUUID() + crypto.randomUUID()))
  return {
    async seal(value, place) {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE))
      const additionalData = encoder.encode(place)
      const plain = encoder.encode(JSON.stringify(value))
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData },
        await keyed(),
        plain,
      )
      return toBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
    },
    async open(text, place) {
      try {
        const bytes = fromBase64Url(text)
        const algorithm = {
          name: 'AES-GCM',
          iv: bytes.subarray(0, NONCE),
          additionalData: encoder.encode(place),
        }
        const plain = await crypto.subtle.decrypt(algorithm, await keyed(), bytes.subarray(NONCE))
        return JSON.parse(new TextDecoder().decode(plain))
      } catch {
        return undefined
      }
    },
  }
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const params = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode('tidegate seal'),
  }
  return crypto.subtle.deriveKey(params, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}

/** The same text for the same value, in whatever order a client wrote its keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${fields.join()}}`
}

const toBase64Url = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
