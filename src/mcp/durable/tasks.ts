/**
 * Tasks in Durable Objects, one object for each task, of the same class as the sessions.
 *
 * @module
 */

import type { Caller } from '../features/context.ts'
import type { Seal } from '../state/seal.ts'
import { type Runner, Task, type TaskLimits } from '../state/task.ts'
import { isOver, type Order, signedTasks, type TaskBackend, type Tasks } from '../state/tasks.ts'
import type { RpcParams } from '../wire/jsonrpc.ts'
import { tag } from './object-request.ts'

/** Tasks kept in a Durable Object namespace. */
export function durableTasks(namespace: DurableObjectNamespace, seal: Seal): Tasks {
  const reach = (name: string, request: Request, caller?: Caller) =>
    namespace.get(namespace.idFromName(name)).fetch(tag(request, { as: 'task', caller }))
  const backend: TaskBackend = {
    async send(name, order, { request: { url, headers }, caller }) {
      const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(order) })
      request.headers.delete('content-length')
      const answer = await reach(name, request, caller)
      if (!answer.ok) throw new Error(`The object of a task answered ${answer.status}.`)
      return (await answer.json<RpcParams | null>()) ?? undefined
    },
    async follow(name, listener, signal) {
      const headers = { upgrade: 'websocket' }
      const { webSocket } = await reach(name, new Request('https://task/', { headers }))
      if (!webSocket) return
      let more = false
      webSocket.addEventListener('message', ({ data }) => {
        const task = JSON.parse(data as string) as RpcParams
        more = !isOver(task.status)
        listener(task)
      })
      // An object that restarts loses its sockets and its work.
      webSocket.addEventListener('close', () => {
        if (more && !signal.aborted) backend.follow(name, listener, signal).catch(console.error)
      })
      webSocket.accept()
      if (signal.aborted) webSocket.close()
      signal.addEventListener('abort', () => webSocket.close())
    },
  }
  return signedTasks(seal, backend)
}

/** The task in an object. */
export function taskIn(state: DurableObjectState, limits: TaskLimits): Task {
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
  state: DurableObjectState,
  task: Task,
  runner: Runner,
): Promise<Response> {
  if (request.headers.get('upgrade') === 'websocket') {
    if (!task.state) return new Response(null, { status: 404 })
    const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
    // Hibernating: a task that waits for a person sleeps.
    state.acceptWebSocket(socket)
    say(socket, task.state)
    return new Response(null, { status: 101, webSocket: client })
  }
  return Response.json(task.take(await request.json<Order>(), runner) ?? null)
}

const say = (socket: WebSocket, task: RpcParams) => socket.send(JSON.stringify(task))
