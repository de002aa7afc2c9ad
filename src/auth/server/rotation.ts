import { credentialKeys, type SealedCredential } from '../../registry/index.ts'
import { type Store, seconds } from './store.ts'

/** A grant, as its tokens name it. */
export interface GrantName {
  readonly userId: string
  readonly id: string
}

/** What became of the refresh tokens of a grant, which the library forgets. */
interface Rotation {
  /** Hashes of those that may not come again, the oldest first. */
  readonly spent: readonly string[]
  /** The last answers, each sealed with the token that it was the answer to. */
  readonly answers: readonly {
    readonly to: string
    readonly at: number
    readonly sealed: SealedCredential
  }[]
  /** When a refresh was answered last, in seconds since 1970. */
  readonly usedAt: number
}

/**
 * The answers to refreshes are kept for a minute: who asks again, because the answer was lost or two windows asked
 * at once, gets the same tokens. A token that comes after its successor was used is known here.
 */
export class Rotations {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** When the grant was refreshed last, in milliseconds since 1970. */
  async usedAt(grant: GrantName): Promise<number | undefined> {
    const rotation = await this.#of(grant)
    return rotation && rotation.usedAt * 1000
  }

  /** The answer that this refresh token got within the last minute. */
  async answerTo(grant: GrantName, token: string, hash: string): Promise<string | undefined> {
    const answers = (await this.#of(grant))?.answers ?? []
    const kept = answers.find(({ to, at }) => to === hash && seconds() - at < GRACE_SECONDS)
    return kept && (await keysOf(token).open(kept.sealed, hash))
  }

  /** Whether this refresh token was good once, and must not come again. */
  async isSpent(grant: GrantName, hash: string): Promise<boolean> {
    return (await this.#of(grant))?.spent.includes(short(hash)) ?? false
  }

  /**
   * Keeps the answer to a refresh.
   *
   * @param used the hash of the token
   * @param dropped the hash of the token that the library forgets for it
   */
  async note(
    grant: GrantName,
    {
      token,
      used,
      dropped,
      answer,
      expiration,
    }: {
      readonly token: string
      readonly used: string
      readonly dropped: string | undefined
      readonly answer: string
      readonly expiration: number
    },
  ): Promise<void> {
    const { spent = [], answers = [] } = (await this.#of(grant)) ?? {}
    const at = seconds()
    const recent = answers.filter((it) => it.to !== used && at - it.at < GRACE_SECONDS)
    const sealed = await keysOf(token).seal(answer, used)
    const gone = [used, ...(dropped === undefined ? [] : [dropped])].map(short)
    const rotation: Rotation = {
      spent: [...spent.filter((it) => !gone.includes(it)), ...gone].slice(-MAX_SPENT),
      answers: [...recent, { to: used, at, sealed }].slice(-MAX_ANSWERS),
      usedAt: at,
    }
    await this.#store.put(keyOf(grant), JSON.stringify(rotation), { expiration })
  }

  async #of(grant: GrantName): Promise<Rotation | undefined> {
    return (await this.#store.get(keyOf(grant), 'json')) ?? undefined
  }
}

/** How long the answer to a refresh is given again. */
const GRACE_SECONDS = 60

const MAX_ANSWERS = 10

const MAX_SPENT = 100

/** Revoking a grant deletes all that begins with `token:` and its name. So this ends with it. */
const keyOf = ({ userId, id }: GrantName) => `token:${userId}:${id}:rotation`

/** Enough of a hash to tell the tokens of one grant apart. */
const short = (hash: string) => hash.slice(0, 20)

/** Only who has the token can open what is sealed with it. */
const keysOf = (token: string) => credentialKeys({ TIDEGATE_SECRET: token })
