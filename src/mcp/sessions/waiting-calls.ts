import type { InputRequest } from '../features/input.ts'
import type { Storage } from '../state/storage.ts'
import type { RpcParams, RpcRequest, RpcResponse } from '../wire/jsonrpc.ts'

/** A request, and the client's answers so far. */
export interface PendingCall {
  readonly key: string
  readonly stream: string
  readonly message: RpcRequest
  readonly answers: RpcParams
  readonly round: number
}

interface WaitingCall extends PendingCall {
  /** Keys of the open questions, by question id. */
  readonly asked: Readonly<Record<string, string>>
  readonly until: number
}

const PREFIX = 'call:'

/** A session's requests that are waiting for answers from the client. They are stored. */
export class WaitingCalls {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Stores a call until this time, and returns its questions as messages to the client. */
  ask(
    call: PendingCall,
    requests: Readonly<Record<string, InputRequest>>,
    until: number,
  ): string[] {
    const asked: Record<string, string> = {}
    for (const key of Object.keys(requests)) asked[crypto.randomUUID()] = key
    this.#put({ ...call, round: call.round + 1, asked, until })
    return Object.entries(asked).map(([id, key]) =>
      JSON.stringify({ jsonrpc: '2.0', id, ...requests[key] }),
    )
  }

  /** Takes an answer from the client. Returns the call if this was its last open question. */
  answer({ id, result }: RpcResponse): PendingCall | undefined {
    const call = this.#list().find(({ asked }) => Object.hasOwn(asked, String(id)))
    if (!call) return undefined
    const { [String(id)]: key, ...asked } = call.asked
    // A client that answers with an error has declined.
    const answers = { ...call.answers, [key!]: result ?? { action: 'cancel' } }
    if (Object.keys(asked).length === 0) {
      this.delete(call)
      return { ...call, answers }
    }
    this.#put({ ...call, answers, asked })
    return undefined
  }

  delete({ key }: PendingCall): void {
    this.#storage.delete(PREFIX + key)
  }

  find(id: unknown): PendingCall | undefined {
    return this.#list().find(({ message }) => message.id === id)
  }

  expired(now: number): PendingCall[] {
    return this.#list().filter(({ until }) => until <= now)
  }

  nextExpiry(): number | undefined {
    const times = this.#list().map(({ until }) => until)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  keys(): string[] {
    return this.#list().map(({ key }) => key)
  }

  #put(call: WaitingCall): void {
    this.#storage.put(PREFIX + call.key, call)
  }

  #list(): WaitingCall[] {
    return [...this.#storage.list<WaitingCall>({ prefix: PREFIX })].map(([, call]) => call)
  }
}
