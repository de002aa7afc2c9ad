import { hashOf } from '../../registry/index.ts'
import { type Store, seconds } from './store.ts'

/** The one-time codes by which the operator lets somebody sign in. */
export class Codes {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Makes a code of 80 random bits, in groups that can be read aloud. */
  async make(person: string | undefined): Promise<{ code: string; expiresAt: number }> {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    const letters = [...bytes].map((it) => ALPHABET[it % ALPHABET.length]).join('')
    const expires = seconds() + CODE_SECONDS
    await this.#store.put(await keyOf(letters), JSON.stringify({ person: person ?? null }), {
      expiration: expires,
    })
    return { code: letters.match(/.{4}/g)!.join('-'), expiresAt: expires * 1000 }
  }

  /** Who a code is for, once: null if it names nobody, undefined if it is no code. */
  async take(text: string): Promise<string | null | undefined> {
    const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
    if (letters.length !== 16) return undefined
    const found = await this.#store.take(await keyOf(letters))
    return (found as { person: string | null } | undefined)?.person
  }
}

/** Thirty-two letters and digits, none of which looks like another. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

const CODE_SECONDS = 600

const keyOf = async (letters: string): Promise<string> => `code:${await hashOf(letters)}`
