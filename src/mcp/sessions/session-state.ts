import {
  type Client,
  type LogLevel,
  logLevelOf,
  NO_LOG_LEVEL,
  unknownClient,
} from '../features/context.ts'
import type { Storage } from '../state/storage.ts'
import { precisionOf } from '../state/store.ts'
import { invalidParams, invalidRequest, isObject, type RpcParams } from '../wire/jsonrpc.ts'
import { negotiate } from '../wire/revisions.ts'
import type { SessionOwner } from './owner.ts'
import { NoSession, UNKNOWN_SESSION_HEADER } from './sessions.ts'

/** Stored state of a session. */
export interface SavedSession {
  readonly version: string
  readonly client: Client
  readonly subject: string | undefined
  /** Missing in sessions that an older version stored. */
  readonly view?: string
  readonly usedAt: number
  readonly logLevel?: LogLevel
  readonly initialized?: boolean
  readonly subscriptions?: readonly string[]
  /** True if there is a stream, but no `initialize` yet. */
  readonly begun?: boolean
  /** The newest stream not tied to a request. */
  readonly listening?: string
}

const SAVED = 'session'

/** Key for the time of its end, which is the only value stored for an ended session. */
const ENDED_AT = 'ended'

/** Stored state of a session, and its lifetime. */
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

  /** True if the session exists or has ended. False if it never existed. */
  get isKnown(): boolean {
    return this.#saved !== undefined || this.#storage.get(ENDED_AT) !== undefined
  }

  /** Time at which the session, or the fact that it ended, is forgotten unless it is used again. */
  get expiresAt(): number {
    const usedAt = this.#saved?.usedAt ?? this.#storage.get<number>(ENDED_AT)!
    return usedAt + this.#idleMs + precisionOf(this.#idleMs)
  }

  wasUsedWithin(ms: number): boolean {
    const since = Date.now() - ms - precisionOf(this.#idleMs)
    return this.#saved !== undefined && this.#saved.usedAt > since
  }

  /** Begins a session with a stream; `initialize` comes later (the `2024-11-05` transport). */
  begin(owner: SessionOwner): void {
    const usedAt = Date.now()
    this.#save({ version: '2024-11-05', client: unknownClient, ...owner, usedAt, begun: true })
  }

  open({ protocolVersion, clientInfo, capabilities }: RpcParams, owner: SessionOwner): void {
    const { name, version } = isObject(clientInfo) ? clientInfo : {}
    const client = { name: word(name), version: word(version) }
    this.#save({
      version: negotiate(protocolVersion).version,
      client: { ...client, capabilities: isObject(capabilities) ? capabilities : {} },
      ...owner,
      usedAt: Date.now(),
      ...(this.#saved?.listening && { listening: this.#saved.listening }),
    })
  }

  /** True if this caller's session has another view, because their rights changed or they use another key. */
  hasOtherView({ subject, view }: SessionOwner): boolean {
    const { subject: owner, view: saved = view } = this.#saved ?? {}
    return owner === subject && saved !== view
  }

  /** Returns the session to its caller, and counts as a use. For other callers it does not exist. */
  use({ subject, view }: SessionOwner): SavedSession {
    if (!this.#saved || this.#saved.subject !== subject) {
      throw new NoSession(this.isKnown ? {} : { [UNKNOWN_SESSION_HEADER]: '1' })
    }
    const precision = precisionOf(this.#idleMs)
    // Sessions from older versions have no view, so they take the view of their next request.
    const { usedAt, view: saved = view } = this.#saved
    if (Date.now() - usedAt > precision || saved !== this.#saved.view) {
      this.change({ usedAt: Date.now(), ...(saved !== undefined && { view: saved }) })
    }
    return this.#saved
  }

  change(changes: Partial<SavedSession>): void {
    if (this.#saved) this.#save({ ...this.#saved, ...changes })
  }

  /** Forgets the session in memory, before its storage is deleted. */
  forget(): void {
    this.#saved = undefined
  }

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

type SessionMethod = (
  params: RpcParams,
  state: SessionState,
  limits: { readonly subscriptions: number },
) => void

/** The methods that change the session itself. */
export const sessionMethods: Readonly<Record<string, SessionMethod>> = {
  'logging/setLevel'({ level }, state) {
    const logLevel = logLevelOf(level)
    if (!logLevel) throw invalidParams(NO_LOG_LEVEL)
    state.change({ logLevel })
  },
  'resources/subscribe'({ uri }, state, limits) {
    if (typeof uri !== 'string') throw invalidParams('Name the resource in params.uri.')
    const subscriptions = [...new Set([...(state.saved?.subscriptions ?? []), uri])]
    if (subscriptions.length > limits.subscriptions) {
      throw invalidRequest(
        `A session can watch at most ${limits.subscriptions} resources: unsubscribe from one first.`,
      )
    }
    state.change({ subscriptions })
  },
  'resources/unsubscribe'({ uri }, state) {
    state.change({ subscriptions: (state.saved?.subscriptions ?? []).filter((it) => it !== uri) })
  },
}
