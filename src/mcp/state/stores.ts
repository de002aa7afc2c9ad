// Stores keep handlers' values between calls. Handlers access them through this file. `store.ts` is the storage.
import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../wire/jsonrpc.ts'
import type { Seal } from './seal.ts'
import { type IdHolder, signedIds } from './signed-ids.ts'

/** Bounds on one store. */
export interface StoreBounds {
  readonly keys: number
  readonly keyChars: number
  /** Maximum size of a value in bytes, as JSON. */
  readonly valueBytes: number
}

/** Bounds on a store outside a session. */
export interface StoreLimits extends StoreBounds {
  /** Idle time after which a store is deleted. */
  readonly idleMs: number
}

export const storeLimits: StoreLimits = {
  keys: 100,
  keyChars: 256,
  valueBytes: 128 * 1024,
  idleMs: 24 * 60 * 60_000,
}

/** An order about one entry in a store. Values are JSON. */
export type EntryOrder =
  | { readonly to: 'get'; readonly key: string }
  | { readonly to: 'put'; readonly key: string; readonly value: string }
  | { readonly to: 'delete'; readonly key: string }

/** An order to a store. */
export type StoreOrder = EntryOrder | { readonly to: 'begin' } | { readonly to: 'open' }

/** The result of an order: the value, or a refusal for the model to read. */
export interface StoreAnswer {
  readonly value?: string | undefined
  readonly refusal?: string
}

/** Access to stores. */
export interface Stores {
  /** Opens the store with this handle, or a new one. Throws {@link ToolError} if this caller has no such store. */
  open(handle: string | undefined, asker: IdHolder): Promise<SessionStore>
}

/** Sends an order to the store with this name. */
type SendStore = (name: string, order: StoreOrder) => Promise<StoreAnswer>

/** Tells the model what to do about a handle without a store. */
export const NO_STORE =
  'Nothing is stored under this handle. It may have expired, or belong to another caller. Leave it out to start again.'

/** Stores found by name. A handle is the signed name. */
export function signedStores(seal: Seal, send: SendStore): Stores {
  const ids = signedIds(seal, 'store')
  return {
    async open(handle, asker) {
      // Models pass an empty string for a handle that they do not have.
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
  asking: IdHolder & { readonly stores?: Stores | undefined },
): Promise<SessionStore> {
  if (asking.stores) return asking.stores.open(handle, asking)
  throw new Error('This server has no stores: pass the stores option to serve().')
}

/** A store from a handler's point of view. */
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
      if (json === undefined) throw new TypeError(`The value for ${key} cannot be written as JSON.`)
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
