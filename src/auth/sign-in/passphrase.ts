import { equalBytes } from '../equal.ts'
import { howToSet, type SignInEnv } from '../settings.ts'

const MIN_CHARS = 15
const MAX_CHARS = 1_000
const MIN_DIFFERENT = 8

/** What to do about a passphrase that is too weak. */
const MEND = `Make another one with: openssl rand -base64 18. ${howToSet('TIDEGATE_PASSPHRASE')}`

/** Why a passphrase can be guessed, in sentences for the operator; nothing if it is strong. */
export function faultOfPassphrase(env: SignInEnv): string | undefined {
  const { TIDEGATE_PASSPHRASE: text } = env
  const why = text ? weakness(plain(text), env) : undefined
  return why && `TIDEGATE_PASSPHRASE ${why}, so nobody can sign in. ${MEND}`
}

function weakness(text: string, env: SignInEnv): string | undefined {
  const characters = [...text]
  if (characters.length < MIN_CHARS) return `has fewer than ${MIN_CHARS} characters`
  if (text.length > MAX_CHARS) return `has more than ${MAX_CHARS} characters`
  if (new Set(characters).size < MIN_DIFFERENT) {
    return `has fewer than ${MIN_DIFFERENT} different characters`
  }
  const { TIDEGATE_KEY, TIDEGATE_SECRET, TIDEGATE_SECRET_PREVIOUS } = env
  for (const [name, value] of Object.entries({
    TIDEGATE_KEY,
    TIDEGATE_SECRET,
    TIDEGATE_SECRET_PREVIOUS,
  })) {
    if (value && plain(value) === text) return `is the same as ${name}`
  }
  return isObvious(text) ? 'has little besides words that are tried first' : undefined
}

/** What is left of a passphrase without its obvious parts has to be long enough for itself. */
function isObvious(text: string): boolean {
  let rest = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  for (const part of OBVIOUS) rest = rest.replaceAll(part, '')
  return new Set(rest).size < 4
}

/** The longer ones first: what is taken out of the middle of a word leaves the rest of it. */
const OBVIOUS = [
  ...['correcthorsebatterystaple', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'],
  ...[
    '12345678901234567890',
    '1qaz2wsx3edc4rfv',
    'qwertzuiopasdfghjkl',
    'qwertyuiop',
    '1234567890',
  ],
  ...['0123456789', 'passphrase', 'opensesame', 'asdfghjkl', '123456789', 'iloveyou', 'password'],
  ...['passwort', 'changeme', 'tidegate', 'letmein', 'trustno1', 'default', 'example', 'welcome'],
  ...['zxcvbnm', '12345678', 'abc123', 'qwerty', 'qwertz', 'secret', 'please', '123456', 'admin'],
  ...['12345', 'test', '1234', '123', 'the', 'is', 'my', 'a'],
]

/** A space around it is a slip, and some keyboards write a letter as two characters. */
const plain = (text: string): string => text.trim().normalize('NFC')

const encoder = new TextEncoder()

/** The most that the platform allows. */
const ITERATIONS = 100_000

/** What the passphrase is turned into takes long to derive, and never changes. */
let kept: { readonly of: string; readonly right: Uint8Array } | undefined

/** Whether a text is the passphrase. The time does not depend on where they differ. */
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
  const how = {
    name: 'PBKDF2',
    hash: 'SHA-256',
    salt: encoder.encode(salt),
    iterations: ITERATIONS,
  }
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 256))
}
