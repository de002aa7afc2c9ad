// A store keeps handlers' values between calls, as long as it is in use. In a legacy session it is part of the
// session. Elsewhere it is separate.
import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../wire/jsonrpc.ts'
import type { StateHost, Storage } from './storage.ts'
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

/** Precision of the stored time of last use. It is low, because a write costs more than most requests. */
export const precisionOf = (idleMs: number): number => Math.min(5 * MINUTE_MS, idleMs / 10)

const USED_AT = 'store'
const HANDLE = 'handle'
const COUNT = 'entries'
const PREFIX = 'entry:'

/** True if this storage holds a store. */
export const isStore = (storage: Pick<Storage, 'get'>): boolean =>
  storage.get(USED_AT) !== undefined

/** A store outside a session. */
export class StoreState {
  readonly #host: StateHost<StoreLimits>

  constructor(host: StateHost<StoreLimits>) {
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

  /** Runs at the time that `wakeAt` set. Deletes everything, unless the store was used since. */
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
 * The store that is part of a session and ends with it. It needs no handle, but has a handle that no
 * other session knows.
 *
 * @param lives True while the session exists: after its end nothing can be stored.
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

/** A message about the bound that a value would exceed. Undefined if it fits. */
function refusalOf(
  value: string,
  isLong: boolean,
  isFull: boolean,
  { keyChars, keys, valueBytes }: StoreBounds,
): string | undefined {
  const bytes = encoder.encode(value).length
  if (isLong) return `A key can have at most ${keyChars} characters.`
  if (isFull) return `A store can hold at most ${keys} keys: delete one first.`
  if (bytes > valueBytes)
    return `A value can have at most ${valueBytes} bytes as JSON, not ${bytes}.`
  return undefined
}

const encoder = new TextEncoder()
