import { type Runner, Task } from '../state/task.ts'
import type { Order, TaskLimits } from '../state/tasks.ts'
import type { RpcParams } from '../wire/jsonrpc.ts'
import { openSocket } from './object-socket.ts'
import type { ObjectState } from './object-state.ts'

/** The task in an object. */
export function taskIn(state: ObjectState, limits: TaskLimits): Task {
  const { storage } = state
  return new Task({
    storage: storage.kv,
    limits,
    tell: (task) => {
      for (const socket of state.getWebSockets()) say(socket, task)
    },
    wakeAt: (time) => void storage.setAlarm(time),
    clear: async () => {
      for (const socket of state.getWebSockets()) socket.close()
      await storage.deleteAlarm()
      await storage.deleteAll()
    },
  })
}

/** Serves an order, or a follower, in the object of the task. */
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
  return Response.json(task.take(await request.json<Order>(), runner) ?? null)
}

const say = (socket: WebSocket, task: RpcParams) => socket.send(JSON.stringify(task))
