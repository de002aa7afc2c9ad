import { equalBytes } from '../equal.ts'
import { howToSet, type SignInEnv } from '../settings.ts'

const MIN_CHARS = 15
const MAX_CHARS = 1_000
const MIN_DIFFERENT = 8

/** Advice for a passphrase that is too weak. */
const FIX = `Make another one with: openssl rand -base64 18. ${howToSet('TIDEGATE_PASSPHRASE')}`

/** The reason that a passphrase can be guessed, as a message for the operator; undefined if it is strong. */
export function faultOfPassphrase(env: SignInEnv): string | undefined {
  const { TIDEGATE_PASSPHRASE: text } = env
  const why = text ? weakness(plain(text), env) : undefined
  return why && `TIDEGATE_PASSPHRASE ${why}, so nobody can sign in. ${FIX}`
}

function weakness(text: string, env: SignInEnv): string | undefined {
  const characters = [...text]
  if (characters.length < MIN_CHARS) return `has fewer than ${MIN_CHARS} characters`
  if (text.length > MAX_CHARS) return `has more than ${MAX_CHARS} characters`
  if (new Set(characters).size < MIN_DIFFERENT) {
    return `has fewer than ${MIN_DIFFERENT} different characters`
  }
  const names = ['TIDEGATE_KEY', 'TIDEGATE_SECRET', 'TIDEGATE_SECRET_PREVIOUS'] as const
  const same = names.find((it) => plain(env[it] ?? '') === text)
  if (same) return `is the same as ${same}`
  return isObvious(text) ? 'is little more than words that are tried first' : undefined
}

/** True if too little is left of a passphrase without its obvious parts. */
function isObvious(text: string): boolean {
  let rest = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  for (const part of OBVIOUS) rest = rest.replaceAll(part, '')
  return new Set(rest).size < 4
}

/**
 * Parts that are guessed first. Longer ones come first, because removing a short one from inside a longer one would
 * leave the rest of it.
 */
const OBVIOUS = [
  ...['correcthorsebatterystaple', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'],
  ...['12345678901234567890', '1qaz2wsx3edc4rfv', 'qwertzuiopasdfghjkl', 'qwertyuiop'],
  '1234567890',
  ...['0123456789', 'passphrase', 'opensesame', 'asdfghjkl', '123456789', 'iloveyou', 'password'],
  ...['passwort', 'changeme', 'tidegate', 'letmein', 'trustno1', 'default', 'example', 'welcome'],
  ...['zxcvbnm', '12345678', 'abc123', 'qwerty', 'qwertz', 'secret', 'please', '123456', 'admin'],
  ...['12345', 'test', '1234', '123', 'the', 'is', 'my', 'a'],
]

/** Normalizes a passphrase: spaces around it are accidental, and some keyboards enter a letter as two characters. */
const plain = (text: string): string => text.trim().normalize('NFC')

const encoder = new TextEncoder()

/** Number of PBKDF2 iterations: the maximum that the platform allows. */
const ITERATIONS = 100_000

/** Cached hash of the passphrase, which is slow to derive. */
let kept: { readonly of: string; readonly right: Uint8Array } | undefined

/** True if a string is the passphrase. Compares in constant time. */
export async function knowsPassphrase(
  text: string,
  { TIDEGATE_PASSPHRASE, TIDEGATE_SECRET = '' }: SignInEnv,
): Promise<boolean> {
  if (!TIDEGATE_PASSPHRASE || text.length > MAX_CHARS) return false
  const of = JSON.stringify([TIDEGATE_PASSPHRASE, TIDEGATE_SECRET])
  if (kept?.of !== of) kept = { of, right: await derived(TIDEGATE_PASSPHRASE, TIDEGATE_SECRET) }
  const { right } = kept
  return equalBytes(await derived(text, TIDEGATE_SECRET), right)
}

async function derived(text: string, salt: string): Promise<Uint8Array> {
  const bytes = encoder.encode(plain(text))
  const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', iterations: ITERATIONS }
  const salted = { ...how, salt: encoder.encode(salt) }
  return new Uint8Array(await crypto.subtle.deriveBits(salted, key, 256))
}
