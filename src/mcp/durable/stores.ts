/**
 * Stores in Durable Objects, one object for each store, of the same class as the sessions: how a Worker
 * reaches them.
 *
 * @module
 */

import type { Seal } from '../state/seal.ts'
import { type StoreAnswer, type Stores, signedStores } from '../state/stores.ts'
import { tag } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Stores kept in a Durable Object namespace. */
export function durableStores(namespace: ObjectNamespace, seal: Seal): Stores {
  return signedStores(seal, async (name, order) => {
    const request = new Request('https://store/', { method: 'POST', body: JSON.stringify(order) })
    const object = namespace.get(namespace.idFromName(name))
    const answer = await object.fetch(tag(request, { as: 'store' }))
    if (!answer.ok) throw new Error(`The object of a store answered ${answer.status}.`)
    return answer.json<StoreAnswer>()
  })
}
