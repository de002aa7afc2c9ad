import { filterOf, notificationsOf } from '../features/changes.ts'
import type { Context } from '../features/context.ts'
import type { Server } from '../features/server.ts'
import { followed } from '../state/tasks.ts'
import { codes, invalidRequest, RpcError, type RpcParams } from '../wire/jsonrpc.ts'
import type { Exchange } from './exchange.ts'

/** Serves `subscriptions/listen`: a call that notifies the client of changes until the client ends it. */
export async function listen(
  { changes }: Server,
  { notifications }: RpcParams,
  context: Context,
  exchange: Exchange,
): Promise<RpcParams> {
  const { id, notify, signal, streams } = context
  if (!streams) throw invalidRequest('To listen, accept text/event-stream in the Accept header.')
  const tasks = await followed(notifications, context, exchange)
  if (!changes && !tasks)
    throw new RpcError(codes.methodNotFound, 'This server does not announce changes.')
  const filter = changes ? filterOf(notifications, changes.lists) : {}
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  let acknowledged = false
  await changes?.listen(
    (change) => {
      if (!acknowledged) return
      for (const { method, params } of notificationsOf(change, filter)) {
        notify(method, { ...params, _meta })
      }
    },
    signal,
    filter,
  )
  const agreed = { ...filter, taskIds: tasks?.ids }
  notify('notifications/subscriptions/acknowledged', { notifications: agreed, _meta })
  acknowledged = true
  await tasks?.follow((task) => notify('notifications/tasks', { ...task, _meta }))
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return { _meta }
}
