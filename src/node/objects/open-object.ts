import { waitUntil } from '../workers.ts'
import type { OutputGate } from './disk.ts'
import { Socket } from './sockets.ts'
import type { FileObjectStorage } from './storage.ts'

/** A class of objects, as a Worker exports it. */
export type ObjectClass = new (state: never, env: never) => object

/** Objects not used for this long are removed from memory if their data is stored. Longer than any call. */
export const IDLE_MS = 15 * 60_000

/** The services that an object uses. */
interface ObjectServices {
  readonly storage: FileObjectStorage
  readonly gate: OutputGate
  /** True if a call does not wait for the disk. */
  readonly looks: ((method: string, args: readonly unknown[]) => boolean) | undefined
  readonly env: object
  readonly close: () => void
}

/** An object in memory, with its sockets. */
export class OpenObject {
  readonly #object: Readonly<Record<string, unknown>>
  readonly #gate: OutputGate
  readonly #looks: ObjectServices['looks']
  readonly #close: () => void
  readonly #sockets = new Set<Socket>()
  #running = 0
  #usedAt = Date.now()

  constructor(made: ObjectClass, { storage, gate, looks, env, close }: ObjectServices) {
    const state = {
      storage,
      waitUntil,
      getWebSockets: () => this.#openSockets(),
      /** Instead of a `WebSocketPair`, which only the platform has. */
      openSocket: () => this.#openSocket(),
    }
    this.#object = new made(state as never, env as never) as never
    this.#gate = gate
    this.#looks = looks
    this.#close = close
  }

  /** Calls a method. The result waits until a power cut cannot undo the change. */
  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    const found = this.#object[method]
    if (typeof found !== 'function') throw new Error(`This object has no ${method}.`)
    this.#running++
    try {
      return await found.apply(this.#object, args)
    } finally {
      try {
        if (!this.#gate.isOpen && !this.#looks?.(method, args)) await this.#gate.opened()
      } finally {
        this.#running--
        this.#usedAt = Date.now()
      }
    }
  }

  get isQuiet(): boolean {
    return this.#running === 0 && this.#openSockets().length === 0
  }

  get isIdle(): boolean {
    return this.isQuiet && Date.now() - this.#usedAt > IDLE_MS
  }

  close(): void {
    for (const socket of this.#openSockets()) socket.close()
    this.#close()
  }

  #openSockets(): Socket[] {
    for (const socket of this.#sockets) if (socket.isClosed) this.#sockets.delete(socket)
    return [...this.#sockets]
  }

  #openSocket(): { socket: Socket; response: Response } {
    const [client, socket] = Socket.pair()
    socket.accept()
    this.#sockets.add(socket)
    // A `Response` in Node cannot have status 101.
    return { socket, response: Object.assign(new Response(), { webSocket: client }) }
  }
}
