import type { Stop } from '../wire/deadline.ts'
import type { RpcId, RpcParams } from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'

/** Who is asking, as authentication established it. */
export interface Caller {
  /** Stable identity: a user id, a client id, the name of a key. */
  readonly subject: string
  readonly scopes: readonly string[]
  /** What else their credentials say of them: a tenant, a region. */
  readonly claims?: Readonly<Record<string, string | number | boolean>>
}

/** The program on the other end, as it describes itself: for display and logs, never for decisions. */
export interface Client {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** Severities of RFC 5424, least first, as the specification names them. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

export type LogLevel = (typeof logLevels)[number]

/** What a handler keeps between calls: JSON, by key. */
export interface SessionStore {
  /** Opens this store in a later call: give it to the model, and take it as an argument. */
  readonly handle: string
  /** The value as it was put, or undefined. */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
}

/** What a handler knows about the request it serves. The same in both eras. */
export interface Context {
  readonly id: RpcId
  readonly revision: Revision
  readonly client: Client
  readonly caller: Caller | undefined
  /** Aborts when the client goes away or cancels, or when the call takes too long. */
  readonly signal: AbortSignal
  /** What the client answered to an earlier {@link InputRequired}, by key. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Whether the client can be told anything before the result. */
  readonly streams: boolean
  /** Tells the client something about this request before its result. */
  notify(method: string, params: RpcParams): void
  /** Reports progress, if the client asked for it. `done` only grows. */
  progress(done: number, total?: number, message?: string): void
  /** Logs to the client, if it asked for messages of this level. Never send it a secret. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Closes the client's connection and goes on working; the client comes back for the rest. For long
   * work, in the sessions of revisions that have that; elsewhere it does nothing.
   */
  disconnect(): void
  /**
   * Opens what is kept between calls. A session has one store, which needs no handle. Elsewhere each
   * call without a handle begins another, and its handle is the only way back to it. One that opens
   * nothing for this caller is a failure the model reads.
   */
  store(handle?: string): Promise<SessionStore>
}

/** A context before it can tell the client anything about its work. */
export type Facts = Omit<Context, 'signal' | 'progress' | 'log' | 'disconnect'> & {
  readonly stop: Stop
  /** The least severe messages that the client asked for; undefined if it wants none. */
  readonly logLevel?: LogLevel | undefined
  disconnect?(): void
}

/** Completes a context with the two things a handler tells the client about its work. */
export function contextOf(
  facts: Omit<Facts, 'stop' | 'store'>,
  { stop, store }: Pick<Facts, 'stop' | 'store'>,
  params: RpcParams,
): Context {
  // Each by its name: spreading the facts would be half of what a small call costs here.
  const { id, revision, client, caller, answers, streams, logLevel } = facts
  // Whoever goes on working when nobody waits for it any more speaks to nobody.
  const notify: Context['notify'] = (...said) => stop.signal.aborted || facts.notify(...said)
  const { progressToken } = (params._meta ?? {}) as { progressToken?: unknown }
  const wanted = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  const least = logLevel ? logLevels.indexOf(logLevel) : Number.POSITIVE_INFINITY
  return {
    id,
    revision,
    client,
    caller,
    get signal() {
      return stop.signal
    },
    answers,
    streams,
    store,
    notify,
    disconnect() {
      facts.disconnect?.()
    },
    progress(progress, total, message) {
      if (wanted)
        notify('notifications/progress', {
          progressToken,
          progress,
          total,
          message,
        })
    },
    log(level, data, logger) {
      if (logLevels.indexOf(level) < least) return
      notify('notifications/message', { level, logger, data })
    },
  }
}

/** A level as a client writes it, or undefined for what is none. */
export const logLevelOf = (value: unknown): LogLevel | undefined =>
  logLevels.find((it) => it === value)
