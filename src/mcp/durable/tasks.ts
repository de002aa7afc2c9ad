// The Worker's side of tasks in Durable Objects: one object per task, of the same class as the sessions.
import type { Caller } from '../features/context.ts'
import type { Seal } from '../state/seal.ts'
import { isOver, signedTasks, type TaskBackend, type Tasks } from '../state/tasks.ts'
import type { RpcParams } from '../wire/jsonrpc.ts'
import { done, toObject } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Tasks in a Durable Object namespace. */
export function durableTasks(namespace: ObjectNamespace, seal: Seal): Tasks {
  const reach = (name: string, request: Request, caller?: Caller) =>
    toObject(namespace, name, request, { as: 'task', caller })
  const backend: TaskBackend = {
    async send(name, order, { request: { url, headers }, caller }) {
      const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(order) })
      request.headers.delete('content-length')
      const answer = await done(reach(name, request, caller), 'a task')
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
