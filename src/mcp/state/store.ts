/**
 * A store keeps values of handlers between calls, as long as it is used. In a legacy session it is
 * part of the session; elsewhere it is separate.
 *
 * @module
 */

import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../wire/jsonrpc.ts'
import type { Storage } from './storage.ts'
import {
  type EntryOrder,
  NO_STORE,
  type StoreAnswer,
  type StoreBounds,
  type StoreLimits,
  type StoreOrder,
  storeBy,
} from './stores.ts'

const MINUTE_MS = 60_000

/** How precisely the last use is stored: a write costs more than most requests. */
export const precisionOf = (idleMs: number): number => Math.min(5 * MINUTE_MS, idleMs / 10)

/** What a store needs from its surroundings. */
export interface StoreHost {
  readonly storage: Storage
  readonly limits: StoreLimits
  /** Calls {@link StoreState.wake} at this time, instead of the time set before. */
  wakeAt(time: number): void
  /** Deletes everything, also the time to wake. */
  clear(): Promise<void>
}

const USED_AT = 'store'
const HANDLE = 'handle'
const COUNT = 'entries'
const PREFIX = 'entry:'

/** Whether this storage holds a store. */
export const isStore = (storage: Pick<Storage, 'get'>): boolean =>
  storage.get(USED_AT) !== undefined

/** A store outside a session. */
export class StoreState {
  readonly #host: StoreHost

  constructor(host: StoreHost) {
    this.#host = host
  }

  /** Carries out an order. If nothing is stored, or it has expired, only `begin` is accepted. */
  take(order: StoreOrder): StoreAnswer {
    const { storage, limits } = this.#host
    if (order.to !== 'begin' && this.#endsAt <= Date.now()) return { refusal: NO_STORE }
    const usedAt = storage.get<number>(USED_AT) ?? 0
    if (Date.now() - usedAt > precisionOf(limits.idleMs)) {
      storage.put(USED_AT, Date.now())
      this.#host.wakeAt(this.#endsAt)
    }
    return 'key' in order ? enter(storage, limits, order) : {}
  }

  /** Runs at the time that `wakeAt` set. Forgets everything, unless it was used since. */
  async wake(): Promise<void> {
    if (this.#endsAt > Date.now()) this.#host.wakeAt(this.#endsAt)
    else await this.#host.clear()
  }

  get #endsAt(): number {
    const { storage, limits } = this.#host
    const usedAt = storage.get<number>(USED_AT) ?? Number.NEGATIVE_INFINITY
    return usedAt + limits.idleMs + precisionOf(limits.idleMs)
  }
}

/**
 * The store that is part of a session and ends with it. It needs no handle, but has one, which no
 * other session knows.
 *
 * @param lives Whether the session still exists: after its end nothing may be stored.
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
  // Nothing is stored under a key that is too long, and the storage refuses to look it up.
  const isLong = order.key.length > bounds.keyChars
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

/** Says which bound a value would exceed; undefined if none. */
function refusalOf(
  value: string,
  isLong: boolean,
  isFull: boolean,
  { keyChars, keys, valueBytes }: StoreBounds,
): string | undefined {
  const bytes = encoder.encode(value).length
  if (isLong) return `A key has at most ${keyChars} characters.`
  if (isFull) return `A store holds at most ${keys} keys: delete one first.`
  if (bytes > valueBytes) return `A value has at most ${valueBytes} bytes as JSON, not ${bytes}.`
  return undefined
}

const encoder = new TextEncoder()
