import { credentialKeys, type SealedCredential } from '../../registry/index.ts'
import { type Store, seconds } from './store.ts'

/** A grant, as its tokens identify it. */
export interface GrantName {
  readonly userId: string
  readonly id: string
}

/** The history of a grant's refresh tokens, which the library does not store. */
interface Rotation {
  /** Hashes of used tokens that must not be used again, oldest first. */
  readonly spent: readonly string[]
  /** The latest responses, each sealed with the token that it answered. */
  readonly answers: readonly {
    readonly to: string
    readonly at: number
    readonly sealed: SealedCredential
  }[]
  /** Time of the last refresh, in seconds since 1970. */
  readonly usedAt: number
}

/** Time of the last refresh of a grant, in milliseconds since 1970. */
export async function lastRefresh(store: Store, grant: GrantName): Promise<number | undefined> {
  const rotation = await rotationOf(store, grant)
  return rotation && rotation.usedAt * 1000
}

/**
 * The response to this refresh token from the last minute, if there is one. An app that repeats a request, because the
 * response was lost or two windows sent one at once, gets the same tokens.
 */
export async function answerTo(
  store: Store,
  grant: GrantName,
  { text, hash }: RefreshToken,
): Promise<string | undefined> {
  const answers = (await rotationOf(store, grant))?.answers ?? []
  const kept = answers.find(({ to, at }) => to === hash && seconds() - at < GRACE_SECONDS)
  return kept && (await keysOf(text).open(kept.sealed, hash))
}

/** True if this refresh token was valid once, and must not be used again. */
export const isSpent = async (store: Store, grant: GrantName, { hash }: RefreshToken) =>
  (await rotationOf(store, grant))?.spent.includes(short(hash)) ?? false

/**
 * Stores the response to a refresh.
 *
 * @param dropped the hash of the token that the library drops because of it
 */
export async function noteRefresh(
  store: Store,
  grant: GrantName,
  { text, hash }: RefreshToken,
  { dropped, answer, expiration }: Refresh,
): Promise<void> {
  const { spent = [], answers = [] } = (await rotationOf(store, grant)) ?? {}
  const at = seconds()
  const recent = answers.filter((it) => it.to !== hash && at - it.at < GRACE_SECONDS)
  const sealed = await keysOf(text).seal(answer, hash)
  const gone = [hash, ...(dropped === undefined ? [] : [dropped])].map(short)
  const rotation: Rotation = {
    spent: [...spent.filter((it) => !gone.includes(it)), ...gone].slice(-MAX_SPENT),
    answers: [...recent, { to: hash, at, sealed }].slice(-MAX_ANSWERS),
    usedAt: at,
  }
  await store.put(keyOf(grant), JSON.stringify(rotation), { expiration })
}

const rotationOf = async (store: Store, grant: GrantName): Promise<Rotation | undefined> =>
  (await store.get(keyOf(grant), 'json')) ?? undefined

interface RefreshToken {
  readonly text: string
  readonly hash: string
}

interface Refresh {
  readonly dropped: string | undefined
  readonly answer: string
  readonly expiration: number
}

/** Time for which the response to a refresh can be repeated. */
const GRACE_SECONDS = 60

const MAX_ANSWERS = 10

const MAX_SPENT = 100

/** Revoking a grant deletes every key that starts with `token:` and its name, including this one. */
const keyOf = ({ userId, id }: GrantName) => `token:${userId}:${id}:rotation`

/** Enough of a hash to tell the tokens of one grant apart. */
const short = (hash: string) => hash.slice(0, 20)

/** Only the holder of the token can open values sealed with it. */
const keysOf = (token: string) => credentialKeys({ TIDEGATE_SECRET: token })
