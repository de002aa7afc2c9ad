import type { Client, LogLevel } from '../features/context.ts'
import type { Storage } from '../state/storage.ts'
import { precisionOf } from '../state/store.ts'
import { isObject, type RpcParams } from '../wire/jsonrpc.ts'
import { Refusal } from '../wire/refusal.ts'
import { negotiate } from '../wire/revisions.ts'
import { NO_SESSION, UNKNOWN_SESSION_HEADER } from './sessions.ts'

/** What is stored of a session. */
export interface SavedSession {
  readonly version: string
  readonly client: Client
  readonly subject: string | undefined
  readonly usedAt: number
  readonly logLevel?: LogLevel
  readonly initialized?: boolean
  readonly subscriptions?: readonly string[]
  /** There is a stream, but no `initialize` yet. */
  readonly begun?: boolean
  /** The newest stream besides those of requests. */
  readonly listening?: string
}

const SAVED = 'session'

/** The key for the time of its end: all that is kept of an ended session. */
const ENDED_AT = 'ended'

/** What is stored of a session, and for how long. */
export class SessionState {
  readonly #storage: Storage
  readonly #idleMs: number
  #saved: SavedSession | undefined

  constructor(storage: Storage, idleMs: number) {
    this.#storage = storage
    this.#idleMs = idleMs
    this.#saved = storage.get(SAVED)
  }

  /** Undefined before the session begins and after its end. */
  get saved(): SavedSession | undefined {
    return this.#saved
  }

  /** Whether the session exists or has ended, and not just never existed. */
  get isKnown(): boolean {
    return this.#saved !== undefined || this.#storage.get(ENDED_AT) !== undefined
  }

  /** When the session is forgotten, or the fact that it ended, unless it is used again. */
  get expiresAt(): number {
    const usedAt = this.#saved?.usedAt ?? this.#storage.get<number>(ENDED_AT)!
    return usedAt + this.#idleMs + precisionOf(this.#idleMs)
  }

  /** Whether the session was used within this time. */
  wasUsedWithin(ms: number): boolean {
    const since = Date.now() - ms - precisionOf(this.#idleMs)
    return this.#saved !== undefined && this.#saved.usedAt > since
  }

  /** Begins a session with a stream; `initialize` comes later (the transport of `2024-11-05`). */
  begin(subject: string | undefined): void {
    const client = { name: undefined, version: undefined, capabilities: {} }
    this.#save({ version: '2024-11-05', client, subject, usedAt: Date.now(), begun: true })
  }

  /** Opens the session with the params of `initialize`. */
  open(
    { protocolVersion, clientInfo, capabilities }: RpcParams,
    subject: string | undefined,
  ): void {
    const { name, version } = isObject(clientInfo) ? clientInfo : {}
    const client = { name: word(name), version: word(version) }
    this.#save({
      version: negotiate(protocolVersion).version,
      client: { ...client, capabilities: isObject(capabilities) ? capabilities : {} },
      subject,
      usedAt: Date.now(),
      ...(this.#saved?.listening && { listening: this.#saved.listening }),
    })
  }

  /** Gives its caller the session, which counts as used. To others it does not exist. */
  use(subject: string | undefined): SavedSession {
    if (!this.#saved || this.#saved.subject !== subject) {
      throw new Refusal(404, NO_SESSION, this.isKnown ? {} : { [UNKNOWN_SESSION_HEADER]: '1' })
    }
    const precision = precisionOf(this.#idleMs)
    if (Date.now() - this.#saved.usedAt > precision) this.change({ usedAt: Date.now() })
    return this.#saved
  }

  /** Changes a session that has not ended. */
  change(changes: Partial<SavedSession>): void {
    if (this.#saved) this.#save({ ...this.#saved, ...changes })
  }

  /** Forgets the session in memory, before its storage is deleted. */
  forget(): void {
    this.#saved = undefined
  }

  /** Stores that the session ended. */
  end(): void {
    this.#storage.put(ENDED_AT, Date.now())
  }

  #save(saved: SavedSession): void {
    this.#saved = saved
    this.#storage.put(SAVED, saved)
  }
}

const MAX_NAME_CHARS = 200

const word = (value: unknown) =>
  typeof value === 'string' ? value.slice(0, MAX_NAME_CHARS) : undefined
