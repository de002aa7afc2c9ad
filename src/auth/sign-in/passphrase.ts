import type { SignInEnv } from '../settings.ts'

const encoder = new TextEncoder()

/** The most that the platform allows. */
const ITERATIONS = 100_000

/** Whether a text is the passphrase. The time does not depend on where they differ. */
export async function knowsPassphrase(
  text: string,
  { TIDEGATE_PASSPHRASE, TIDEGATE_SECRET = '' }: SignInEnv,
): Promise<boolean> {
  if (!TIDEGATE_PASSPHRASE || text.length > MAX_CHARS) return false
  const [shown, right] = await Promise.all(
    [text, TIDEGATE_PASSPHRASE].map((it) => derived(it, TIDEGATE_SECRET)),
  )
  return crypto.subtle.timingSafeEqual(shown!, right!)
}

const MAX_CHARS = 1_000

async function derived(text: string, salt: string): Promise<ArrayBuffer> {
  const bytes = encoder.encode(text.normalize('NFC'))
  const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits'])
  const how = {
    name: 'PBKDF2',
    hash: 'SHA-256',
    salt: encoder.encode(salt),
    iterations: ITERATIONS,
  }
  return crypto.subtle.deriveBits(how, key, 256)
}
