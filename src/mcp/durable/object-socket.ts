import type { ObjectState, Opened } from './object-state.ts'

/** Opens a socket between an object and whoever asks it. Hibernating: the object sleeps while nothing is said. */
export function openSocket(state: ObjectState): Opened {
  if (state.openSocket) return state.openSocket()
  const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  state.acceptWebSocket(socket)
  return { socket, response: new Response(null, { status: 101, webSocket: client }) }
}
