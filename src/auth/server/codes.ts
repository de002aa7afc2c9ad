import { hashOf } from '../../ground/index.ts'
import { type Store, seconds } from './store.ts'

/** Makes a one-time sign-in code of 80 random bits, in groups that are easy to read aloud. */
export async function makeCode(
  store: Store,
  person: string | undefined,
): Promise<{ code: string; expiresAt: number }> {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const letters = [...bytes].map((it) => ALPHABET[it % ALPHABET.length]).join('')
  const expiration = seconds() + CODE_SECONDS
  const value = JSON.stringify({ person: person ?? null })
  await store.put(await keyOf(letters), value, { expiration })
  return { code: letters.match(/.{4}/g)!.join('-'), expiresAt: expiration * 1000 }
}

/**
 * Uses up a code. Returns the name that it is for, null if it is for no particular person, or undefined if it is not
 * valid.
 */
export async function takeCode(store: Store, text: string): Promise<string | null | undefined> {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
  if (letters.length !== 16) return undefined
  const found = await store.take(await keyOf(letters))
  return (found as { person: string | null } | undefined)?.person
}

/** Thirty-two letters and digits that do not look alike. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

const CODE_SECONDS = 600

const keyOf = async (letters: string): Promise<string> => `code:${await hashOf(letters)}`
