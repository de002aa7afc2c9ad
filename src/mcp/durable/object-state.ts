import type { Storage } from '../state/storage.ts'

/**
 * A namespace of Durable Objects, as far as it is used here. Declared here, so that a project without the
 * types of Workers can use this library.
 */
export interface ObjectNamespace {
  idFromName(name: string): ObjectId
  get(id: ObjectId): { fetch(request: Request): Promise<Response> }
}

/** The id of an object. */
export interface ObjectId {
  toString(): string
}

/** What the platform gives to an object. */
export interface ObjectState {
  readonly storage: ObjectStorage
  acceptWebSocket(socket: WebSocket): void
  getWebSockets(): WebSocket[]
  /** What an object that is no Worker's has instead of `WebSocketPair`: it makes the pair, and keeps its end. */
  openSocket?(): Opened
}

/** A socket that an object opened. */
export interface Opened {
  /** The end of the object. */
  readonly socket: WebSocket
  /** Brings the other end to whoever asked. */
  readonly response: Response
}

/** What an object stores, and the time at which it wakes up. */
export interface ObjectStorage {
  readonly kv: ObjectValues
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

/** The values that an object stores. Keys sort as text. */
export interface ObjectValues extends Storage {
  list<T>(options: { prefix: string; startAfter?: string; limit?: number }): Iterable<[string, T]>
}
