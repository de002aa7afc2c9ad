import type { Stop } from '../wire/deadline.ts'
import type { RpcId, RpcParams } from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'
import { traceparentOf } from '../wire/traceparent.ts'

/** Who is asking, as authentication established it. */
export interface Caller {
  /** Stable identity: a user id, a client id, the name of a key. */
  readonly subject: string
  readonly scopes: readonly string[]
  /** What else the credentials say: a tenant, a region. */
  readonly claims?: Readonly<Record<string, string | number | boolean>>
}

/** The client program as it describes itself. For display and logs, never for decisions. */
export interface Client {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** Severities of RFC 5424, the least first, with the names of the specification. */
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

/** The error for a level that is not one of them. */
export const NO_LOG_LEVEL = `There is no such log level. There are: ${logLevels.join(', ')}.`

/** What a handler keeps between calls: JSON, by key. */
export interface SessionStore {
  /** Opens this store in a later call: give it to the model, and take it as an argument. */
  readonly handle: string
  /** The value as it was put, or undefined. */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
}

/** What a handler knows about its request. The same in both eras. */
export interface Context {
  readonly id: RpcId
  readonly revision: Revision
  readonly client: Client
  readonly caller: Caller | undefined
  /** The trace that the request belongs to, as W3C Trace Context writes it, if the client says so. */
  readonly traceparent: string | undefined
  /** A header of the HTTP request that brought this. */
  header(name: string): string | undefined
  /** Aborts when the client goes away or cancels, or when the call takes too long. */
  readonly signal: AbortSignal
  /** The client's answers to an earlier {@link InputRequired}, by key. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Whether the client can be told anything before the result. */
  readonly streams: boolean
  /** Sends the client a notification about this request, before the result. */
  notify(method: string, params: RpcParams): void
  /** Reports progress, if the client asked for it. `done` only grows. */
  progress(done: number, total?: number, message?: string): void
  /** Logs to the client, if it asked for messages of this level. Never send it a secret. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Closes the client's connection and goes on working. The client comes back for the rest. Meant
   * for long work in sessions of revisions that have this; elsewhere it does nothing.
   */
  disconnect(): void
  /**
   * Opens the store that keeps values between calls. A session has one store and needs no handle.
   * Elsewhere each call without a handle begins a new store, and only its handle opens it again. If
   * a handle opens nothing for this caller, the model reads so.
   */
  store(handle?: string): Promise<SessionStore>
}

/** What a context is made of. */
export type Facts = Omit<
  Context,
  'signal' | 'traceparent' | 'header' | 'progress' | 'log' | 'disconnect'
> & {
  readonly stop: Stop
  /** The lowest level that the client asked for; undefined if it wants no messages. */
  readonly logLevel?: LogLevel | undefined
  disconnect?(): void
}

/** Makes a context, with the progress and the log that a handler sends the client. */
export function contextOf(
  facts: Omit<Facts, 'stop' | 'store'>,
  { stop, store, request }: Pick<Facts, 'stop' | 'store'> & { readonly request?: Request },
  params: RpcParams,
): Context {
  // Copied one by one: a spread would be half the cost of a small call.
  const { id, revision, client, caller, answers, streams, logLevel } = facts
  // Work that goes on after it was stopped sends nothing.
  const notify: Context['notify'] = (method, about) =>
    stop.signal.aborted || facts.notify(method, about)
  const { progressToken, traceparent } = (params._meta ?? {}) as RpcParams
  const header = (name: string) => request?.headers.get(name) ?? undefined
  const wanted = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  const least = logLevel ? logLevels.indexOf(logLevel) : Number.POSITIVE_INFINITY
  return {
    id,
    revision,
    client,
    caller,
    get traceparent() {
      // Of the two, the client's own call is nearer than what carried it (SEP-414).
      return traceparentOf(traceparent) ?? traceparentOf(header('traceparent'))
    },
    header,
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

/** The log level with this name, or undefined. */
export const logLevelOf = (value: unknown): LogLevel | undefined =>
  logLevels.find((it) => it === value)
