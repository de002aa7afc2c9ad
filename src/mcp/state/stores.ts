/**
 * What handlers keep between calls, and how they reach it. How it is kept, is in `store.ts`.
 *
 * @module
 */

import type { SessionStore } from '../features/context.ts'
import { ToolError } from '../features/tool.ts'
import type { Seal } from './seal.ts'
import { type Asker, signedIds } from './signed-ids.ts'

/** What is asked about one entry of a store. Values are JSON. */
export type EntryOrder =
  | { readonly to: 'get'; readonly key: string }
  | { readonly to: 'put'; readonly key: string; readonly value: string }
  | { readonly to: 'delete'; readonly key: string }

/** What is asked of a store. */
export type StoreOrder = EntryOrder | { readonly to: 'begin' } | { readonly to: 'open' }

/** What comes of it: the value asked for, or why it was refused, in words for the model. */
export interface StoreAnswer {
  readonly value?: string | undefined
  readonly refusal?: string
}

/** Where stores live. */
export interface Stores {
  /** Opens the store of this handle, or a new one. Throws {@link ToolError} if this caller has none. */
  open(handle: string | undefined, asker: Asker): Promise<SessionStore>
}

/** Brings an order to the place of this name. */
type Send = (name: string, order: StoreOrder) => Promise<StoreAnswer>

/** Says what a model can do about a handle that opens nothing. */
export const NO_STORE =
  'Nothing is kept under this handle: it may have expired, or be of somebody else. Leave it out to begin anew.'

/** Stores at places that are found by name. A handle is the name of the place, signed. */
export function signedStores(seal: Seal, send: Send): Stores {
  const ids = signedIds(seal, 'store')
  return {
    async open(handle, asker) {
      // Models fill in what they do not know with nothing at all.
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

/** Opens a store of a server that may have no place for any. */
export async function openStore(
  handle: string | undefined,
  asking: Asker & { readonly stores?: Stores | undefined },
): Promise<SessionStore> {
  if (asking.stores) return asking.stores.open(handle, asking)
  throw new Error('This server has no place for stores: give serve() one, as the option stores.')
}

/** A store as handlers see it, over a way to give it orders. */
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
