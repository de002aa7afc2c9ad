import type { Storage } from '../state/storage.ts'

/**
 * The parts of a Durable Object namespace used here. Declared here, so that a project without the
 * Workers types can use this library.
 */
export interface ObjectNamespace {
  idFromName(name: string): ObjectId
  get(id: ObjectId): { fetch(request: Request): Promise<Response> }
}

/** The id of an object. */
export interface ObjectId {
  toString(): string
}

/** The platform's services for an object. */
export interface ObjectState {
  readonly storage: ObjectStorage
  acceptWebSocket(socket: WebSocket): void
  getWebSockets(): WebSocket[]
  /** Replaces `WebSocketPair` outside Workers: makes the pair and keeps the object's end. */
  openSocket?(): OpenedSocket
}

/** A socket that an object opened. */
export interface OpenedSocket {
  readonly socket: WebSocket
  /** Carries the other end to the caller. */
  readonly response: Response
}

/** An object's storage and its alarm. */
export interface ObjectStorage {
  readonly kv: ObjectValues
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

/** An object's stored values. Keys are sorted as strings. */
export interface ObjectValues extends Storage {
  list<T>(options: { prefix: string; startAfter?: string; limit?: number }): Iterable<[string, T]>
}

/** Opens a socket between an object and its caller. It hibernates, so the object sleeps between messages. */
export function openSocket(state: ObjectState): OpenedSocket {
  if (state.openSocket) return state.openSocket()
  const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  state.acceptWebSocket(socket)
  return { socket, response: new Response(null, { status: 101, webSocket: client }) }
}
