/**
 * A store: what handlers keep between calls, for as long as it is used. In a legacy session it is a
 * part of the session; elsewhere it has a place of its own.
 *
 * @module
 */

import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../features/tool.ts'
import type { Storage } from './storage.ts'
import { type EntryOrder, NO_STORE, type StoreAnswer, type StoreOrder, storeBy } from './stores.ts'

/** Bounds on what one store holds. */
export interface StoreBounds {
  readonly keys: number
  /** Characters of a key. */
  readonly key: number
  /** Bytes of a value, as JSON. */
  readonly valueBytes: number
}

/** Bounds on a store that has a place of its own. */
export interface StoreLimits extends StoreBounds {
  /** Without use for so long, it is forgotten. */
  readonly idleMs: number
}

const MINUTE = 60_000

export const storeLimits: StoreLimits = {
  ...{ keys: 100, key: 256, valueBytes: 128 * 1024 },
  idleMs: 24 * 60 * MINUTE,
}

/** How precisely a last use is remembered: writing it down costs more than most requests. */
export const precisionOf = (idleMs: number): number => Math.min(5 * MINUTE, idleMs / 10)

/** What a store needs of the place it lives in. */
export interface StoreHome {
  readonly storage: Storage
  readonly limits: StoreLimits
  /** Has {@link StoreState.wake} called at this time, and at none named before. */
  wakeAt(time: number): void
  /** Forgets everything, the time to wake included. */
  clear(): Promise<void>
}

const USED_AT = 'store'
const HANDLE = 'handle'
const COUNT = 'entries'
const PREFIX = 'entry:'

/** Whether what is stored here is a store. */
export const isStore = (storage: Pick<Storage, 'get'>): boolean =>
  storage.get(USED_AT) !== undefined

/** A store with a place of its own. */
export class StoreState {
  readonly #home: StoreHome

  constructor(home: StoreHome) {
    this.#home = home
  }

  /** Does what is asked. Every order but the first is refused where nothing is kept (any more). */
  take(order: StoreOrder): StoreAnswer {
    const { storage, limits } = this.#home
    if (order.to !== 'begin' && this.#endsAt <= Date.now()) return { refusal: NO_STORE }
    const usedAt = storage.get<number>(USED_AT) ?? 0
    if (Date.now() - usedAt > precisionOf(limits.idleMs)) {
      storage.put(USED_AT, Date.now())
      this.#home.wakeAt(this.#endsAt)
    }
    return 'key' in order ? enter(storage, limits, order) : {}
  }

  /** At the time that `wakeAt` named: forgets everything, unless it was used since. */
  async wake(): Promise<void> {
    if (this.#endsAt > Date.now()) this.#home.wakeAt(this.#endsAt)
    else await this.#home.clear()
  }

  get #endsAt(): number {
    const { storage, limits } = this.#home
    const usedAt = storage.get<number>(USED_AT) ?? Number.NEGATIVE_INFINITY
    return usedAt + limits.idleMs + precisionOf(limits.idleMs)
  }
}

/**
 * The store that is a part of a session, and ends with it. It needs no handle, and has one that no
 * other session knows.
 *
 * @param lives Whether the session has not ended yet, after which nothing may be stored.
 */
export function storeWithin(
  storage: Storage,
  bounds: StoreBounds,
  lives: () => boolean,
  handle: string | undefined,
): SessionStore {
  const own = storage.get<string>(HANDLE)
  if (!lives() || (handle && handle !== own)) throw new ToolError(NO_STORE)
  const id = own ?? crypto.randomUUID()
  if (!own) storage.put(HANDLE, id)
  return storeBy(id, async (order) => {
    if (!lives()) return { refusal: NO_STORE }
    return 'key' in order ? enter(storage, bounds, order) : {}
  })
}

/** Reads or changes one entry. */
function enter(storage: Storage, bounds: StoreBounds, order: EntryOrder): StoreAnswer {
  const at = PREFIX + order.key
  const count = storage.get<number>(COUNT) ?? 0
  // Nothing is there under a key that is too long, and storage would not even look.
  const isLong = order.key.length > bounds.key
  const found = isLong ? undefined : storage.get<string>(at)
  if (order.to === 'get') return { value: found }
  if (order.to === 'delete') {
    if (found === undefined) return {}
    storage.delete(at)
    storage.put(COUNT, count - 1)
    return {}
  }
  const refusal = refusalOf(
    order.value,
    isLong,
    found === undefined && count >= bounds.keys,
    bounds,
  )
  if (refusal) return { refusal }
  if (found === undefined) storage.put(COUNT, count + 1)
  storage.put(at, order.value)
  return {}
}

/** Which bound something to put would pass, in words; undefined if none. */
function refusalOf(
  value: string,
  isLong: boolean,
  isFull: boolean,
  { key, keys, valueBytes }: StoreBounds,
): string | undefined {
  const bytes = encoder.encode(value).length
  if (isLong) return `A key has at most ${key} characters.`
  if (isFull) return `At most ${keys} keys are kept at once: delete one first.`
  if (bytes > valueBytes) return `A value has at most ${valueBytes} bytes as JSON, not ${bytes}.`
  return undefined
}

const encoder = new TextEncoder()
