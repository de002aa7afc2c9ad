/**
 * Carries changes between isolates: one Durable Object to which all isolates publish and listen.
 *
 * @module
 */

import type { Changes } from '../features/changes.ts'
import { tag } from './object-request.ts'

/** Changes that reach all isolates. Servers that use different hubs share no changes. */
export function durableChanges(
  namespace: () => DurableObjectNamespace,
  hub = 'hub',
): Changes & { readonly hub: string } {
  return {
    hub,
    async publish(change) {
      await ask(namespace(), hub, 'publish', { method: 'POST', body: JSON.stringify(change) })
    },
    async listen(listener, signal) {
      const headers = { upgrade: 'websocket' }
      const { webSocket } = await ask(namespace(), hub, 'listen', { headers })
      if (!webSocket) throw new Error('The hub of changes opened no socket.')
      webSocket.addEventListener('message', ({ data }) => listener(JSON.parse(data as string)))
      webSocket.accept()
      if (signal.aborted) webSocket.close()
      signal.addEventListener('abort', () => webSocket.close())
    },
  }
}

/** Starts or stops telling a session of the changes in a hub. */
export async function watch(
  namespace: DurableObjectNamespace,
  { hub, name }: Watching,
  on: boolean,
) {
  await ask(namespace, hub, `watch/${name}`, { method: on ? 'PUT' : 'DELETE' })
}

export interface Watching {
  readonly hub: string
  readonly name: string
}

function ask(
  namespace: DurableObjectNamespace,
  name: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const hub = namespace.get(namespace.idFromName(name))
  return hub.fetch(tag(new Request(`https://hub/${path}`, init), { as: 'hub' }))
}
