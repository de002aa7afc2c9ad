/**
 * Stores keep values of handlers between calls. This is how handlers reach them; `store.ts` is how
 * they are kept.
 *
 * @module
 */

import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../wire/jsonrpc.ts'
import type { Seal } from './seal.ts'
import { type Asker, signedIds } from './signed-ids.ts'

/** Bounds on one store. */
export interface StoreBounds {
  readonly keys: number
  /** Characters of a key. */
  readonly keyChars: number
  /** Bytes of a value, as JSON. */
  readonly valueBytes: number
}

/** Bounds on a store outside a session. */
export interface StoreLimits extends StoreBounds {
  /** A store that is not used for this long is forgotten. */
  readonly idleMs: number
}

export const storeLimits: StoreLimits = {
  keys: 100,
  keyChars: 256,
  valueBytes: 128 * 1024,
  idleMs: 24 * 60 * 60_000,
}

/** An order about one entry of a store. Values are JSON. */
export type EntryOrder =
  | { readonly to: 'get'; readonly key: string }
  | { readonly to: 'put'; readonly key: string; readonly value: string }
  | { readonly to: 'delete'; readonly key: string }

/** An order to a store. */
export type StoreOrder = EntryOrder | { readonly to: 'begin' } | { readonly to: 'open' }

/** The answer to an order: the value, or a refusal for the model to read. */
export interface StoreAnswer {
  readonly value?: string | undefined
  readonly refusal?: string
}

/** Where stores live. */
export interface Stores {
  /**
   * Opens the store of this handle, or a new one. Throws {@link ToolError} if this caller has none.
   */
  open(handle: string | undefined, asker: Asker): Promise<SessionStore>
}

/** Sends an order to the store with this name. */
type Send = (name: string, order: StoreOrder) => Promise<StoreAnswer>

/** Tells the model what to do about a handle that opens nothing. */
export const NO_STORE =
  'Nothing is stored under this handle. It may have expired, or belong to another caller. Leave it out to start again.'

/** Stores that are found by name. A handle is the signed name. */
export function signedStores(seal: Seal, send: Send): Stores {
  const ids = signedIds(seal, 'store')
  return {
    async open(handle, asker) {
      // Models fill in an empty text for what they do not know.
      const { name, id } = handle
        ? { name: await ids.read(handle, asker), id: handle }
        : await ids.make(asker)
      if (name === undefined) throw new ToolError(NO_STORE)
      const sendThere = (order: StoreOrder) => send(name, order)
      await ask(sendThere, { to: handle ? 'open' : 'begin' })
      return storeBy(id, sendThere)
    },
  }
}

/** Opens a store, if the server has stores. */
export async function openStore(
  handle: string | undefined,
  asking: Asker & { readonly stores?: Stores | undefined },
): Promise<SessionStore> {
  if (asking.stores) return asking.stores.open(handle, asking)
  throw new Error('This server has no stores: give serve() the option stores.')
}

/** A store as handlers see it. */
export function storeBy(
  handle: string,
  send: (order: StoreOrder) => Promise<StoreAnswer>,
): SessionStore {
  return {
    handle,
    async get(key) {
      const value = await ask(send, { to: 'get', key })
      return value === undefined ? undefined : JSON.parse(value)
    },
    async put(key, value) {
      const json = JSON.stringify(value) as string | undefined
      if (json === undefined) throw new TypeError(`What is put under ${key} is not JSON.`)
      await ask(send, { to: 'put', key, value: json })
    },
    async delete(key) {
      await ask(send, { to: 'delete', key })
    },
  }
}

async function ask(
  send: (order: StoreOrder) => Promise<StoreAnswer>,
  order: StoreOrder,
): Promise<string | undefined> {
  const { value, refusal } = await send(order)
  if (refusal !== undefined) throw new ToolError(refusal)
  return value
}
