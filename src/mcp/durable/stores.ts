// The Worker's side of stores in Durable Objects: one object per store, of the same class as the sessions.
import type { Seal } from '../state/seal.ts'
import { type StoreAnswer, type Stores, signedStores } from '../state/stores.ts'
import { done, toObject } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Stores in a Durable Object namespace. */
export function durableStores(namespace: ObjectNamespace, seal: Seal): Stores {
  return signedStores(seal, async (name, order) => {
    const request = new Request('https://store/', { method: 'POST', body: JSON.stringify(order) })
    const asked = toObject(namespace, name, request, { as: 'store' })
    return (await done(asked, 'a store')).json<StoreAnswer>()
  })
}
