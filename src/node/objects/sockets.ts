import { logged } from '../logged.ts'

type SocketListener = (event: { readonly data: string }) => void

/** One end of a pair of sockets within this process, with the part of `WebSocket` that the objects use. */
export class Socket {
  readonly #listeners = { message: [] as SocketListener[], close: [] as SocketListener[] }
  /** Messages that arrived before there was a listener. */
  #waiting: string[] | undefined = []
  #other: Socket | undefined
  #attachment: unknown
  isClosed = false

  static pair(): [Socket, Socket] {
    const [one, other] = [new Socket(), new Socket()]
    one.#other = other
    other.#other = one
    return [one, other]
  }

  addEventListener(kind: 'message' | 'close', listener: SocketListener): void {
    this.#listeners[kind].push(listener)
  }

  accept(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const data of waiting) this.#tell('message', data)
    if (this.isClosed) this.#tell('close', '')
  }

  send(data: string): void {
    if (this.isClosed) throw new Error('This socket is closed.')
    this.#other!.#take(data)
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    const other = this.#other!
    if (other.isClosed) return
    other.isClosed = true
    if (!other.#waiting) other.#tell('close', '')
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }

  deserializeAttachment(): unknown {
    return this.#attachment
  }

  #take(data: string): void {
    if (this.#waiting) this.#waiting.push(data)
    else this.#tell('message', data)
  }

  #tell(kind: 'message' | 'close', data: string): void {
    for (const listener of this.#listeners[kind]) {
      try {
        listener({ data })
      } catch (error) {
        logged(error)
      }
    }
  }
}
