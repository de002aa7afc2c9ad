import type { StateHost } from '../state/storage.ts'
import { StoreState } from '../state/store.ts'
import type { StoreLimits, StoreOrder } from '../state/stores.ts'
import { type Runner, Task } from '../state/task.ts'
import type { TaskLimits, TaskOrder } from '../state/tasks.ts'
import type { RpcParams } from '../wire/jsonrpc.ts'
import { type ObjectState, type ObjectStorage, openSocket } from './object-state.ts'

/** The store in an object. */
export function storeIn({ storage }: ObjectState, limits: StoreLimits): StoreState {
  return new StoreState(hostIn(storage, limits))
}

/** Carries out an order in the store's object. */
export async function serveStore(request: Request, store: StoreState): Promise<Response> {
  return Response.json(store.take(await request.json<StoreOrder>()))
}

/** The task in an object. */
export function taskIn(state: ObjectState, limits: TaskLimits): Task {
  const host = hostIn(state.storage, limits)
  return new Task({
    ...host,
    tell: (task) => {
      for (const socket of state.getWebSockets()) say(socket, task)
    },
    clear: async () => {
      for (const socket of state.getWebSockets()) socket.close()
      await host.clear()
    },
  })
}

/** Carries out an order, or streams to a follower, in the task's object. */
export async function serveTask(
  request: Request,
  state: ObjectState,
  task: Task,
  runner: Runner,
): Promise<Response> {
  if (request.headers.get('upgrade') === 'websocket') {
    if (!task.state) return new Response(null, { status: 404 })
    const { socket, response } = openSocket(state)
    say(socket, task.state)
    return response
  }
  return Response.json(task.take(await request.json<TaskOrder>(), runner) ?? null)
}

const say = (socket: WebSocket, task: RpcParams) => socket.send(JSON.stringify(task))

/** The environment for state that an object holds. */
export const hostIn = <Limits>(storage: ObjectStorage, limits: Limits): StateHost<Limits> => ({
  storage: storage.kv,
  limits,
  wakeAt: (time) => void storage.setAlarm(time),
  clear: async () => {
    await storage.deleteAlarm()
    await storage.deleteAll()
  },
})
