// The Worker's side of legacy sessions in Durable Objects: one object per session.
import { type Sessions, signedSessions } from '../sessions/sessions.ts'
import { type Seal, sealWith } from '../state/seal.ts'
import { eventStream } from '../wire/sse.ts'
import { done, toObject } from './object-request.ts'
import type { ObjectNamespace } from './object-state.ts'

/** A stream closes after this time, and the client reconnects. */
const STREAM_MS = 30 * 60_000

/** Sessions stored in a Durable Object namespace. */
export function durableSessions(namespace: ObjectNamespace, seal: Seal): Sessions {
  return signedSessions(seal, async (name, request, caller, sse) => {
    // Uses fetch instead of RPC, because only with fetch does the stream end when the client hangs up.
    // An object with an open stream is billed for every second. An object with an open socket to the
    // Worker sleeps until there is something to send.
    if (request.method === 'GET') request.headers.set('upgrade', 'websocket')
    const answer = await toObject(namespace, name, request, { as: 'session', name, caller, sse })
    return answer.webSocket ? relay(answer.webSocket) : answer
  })
}

/** A seal that all isolates in a deployment share. Its secret is generated once and stored. */
export const sharedSeal = (namespace: ObjectNamespace): Seal =>
  sealWith(async () => {
    const request = new Request('https://secret/')
    const asked = toObject(namespace, 'secret', request, { as: 'secret' })
    return (await done(asked, 'the secret')).text()
  })

/** Writes a socket's messages to an event stream. */
function relay(socket: WebSocket): Response {
  const end = () => {
    clearTimeout(lifetime)
    socket.close()
  }
  const stream = eventStream(end)
  const lifetime = setTimeout(() => {
    stream.retry()
    stream.close()
    end()
  }, STREAM_MS)
  socket.addEventListener('message', ({ data }) => {
    const [id = '', message] = JSON.parse(data as string) as [string, string?]
    if (message === undefined) stream.prime(id)
    else stream.send(message, id)
  })
  socket.addEventListener('close', () => {
    clearTimeout(lifetime)
    stream.close()
  })
  socket.accept()
  return stream.response
}
