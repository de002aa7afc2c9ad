/**
 * Legacy sessions in Durable Objects, one object for each session: how a Worker reaches them.
 *
 * @module
 */

import { type Sessions, signedSessions } from '../sessions/sessions.ts'
import { type Seal, sealWith } from '../state/seal.ts'
import { eventStream, RETRY_MS } from '../wire/sse.ts'
import { tag } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** A stream is closed after this time, and the client comes back. */
const STREAM_MS = 30 * 60_000

/** Sessions kept in a Durable Object namespace. */
export function durableSessions(namespace: ObjectNamespace, seal: Seal): Sessions {
  return signedSessions(seal, async (name, request, caller, sse) => {
    // By fetch and not by RPC: only with fetch does a client that hangs up end the stream.
    const object = namespace.get(namespace.idFromName(name))
    const inner = tag(request, { as: 'session', name, caller, sse })
    if (request.method !== 'GET') return object.fetch(inner)
    // An object that holds a stream is billed for every second of it. An object that holds a socket
    // to the Worker sleeps until there is something to send.
    inner.headers.set('upgrade', 'websocket')
    const answer = await object.fetch(inner)
    return answer.webSocket ? relay(answer.webSocket) : answer
  })
}

/** A seal that all isolates of a deployment share. Its secret is made once and stored. */
export const sharedSeal = (namespace: ObjectNamespace): Seal =>
  sealWith(async () => {
    const object = namespace.get(namespace.idFromName('secret'))
    const answer = await object.fetch(tag(new Request('https://secret/'), { as: 'secret' }))
    return answer.text()
  })

/** Writes the messages of a socket to an event stream. */
function relay(socket: WebSocket): Response {
  const end = () => {
    clearTimeout(lifetime)
    socket.close()
  }
  const stream = eventStream(end)
  const lifetime = setTimeout(() => {
    stream.retry(RETRY_MS)
    stream.close()
    end()
  }, STREAM_MS)
  socket.addEventListener('message', ({ data }) => {
    const [id = '', message] = JSON.parse(data as string) as [string, string?]
    if (message === undefined) stream.prime(id, RETRY_MS)
    else stream.send(message, id)
  })
  socket.addEventListener('close', () => {
    clearTimeout(lifetime)
    stream.close()
  })
  socket.accept()
  return stream.response
}
