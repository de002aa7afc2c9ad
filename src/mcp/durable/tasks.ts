/**
 * Tasks in Durable Objects, one object for each task, of the same class as the sessions: how a Worker
 * reaches them.
 *
 * @module
 */

import type { Caller } from '../features/context.ts'
import type { Seal } from '../state/seal.ts'
import { isOver, signedTasks, type TaskBackend, type Tasks } from '../state/tasks.ts'
import type { RpcParams } from '../wire/jsonrpc.ts'
import { tag } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** Tasks kept in a Durable Object namespace. */
export function durableTasks(namespace: ObjectNamespace, seal: Seal): Tasks {
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
