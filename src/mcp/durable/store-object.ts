import { StoreState } from '../state/store.ts'
import type { StoreLimits, StoreOrder } from '../state/stores.ts'
import type { ObjectState } from './object-state.ts'

/** The store in an object. */
export function storeIn({ storage }: ObjectState, limits: StoreLimits): StoreState {
  return new StoreState({
    storage: storage.kv,
    limits,
    wakeAt: (time) => void storage.setAlarm(time),
    clear: async () => {
      await storage.deleteAlarm()
      await storage.deleteAll()
    },
  })
}

/** Serves an order in the object of the store. */
export async function serveStore(request: Request, store: StoreState): Promise<Response> {
  return Response.json(store.take(await request.json<StoreOrder>()))
}
