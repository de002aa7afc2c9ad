import type { Stop } from '../wire/deadline.ts'
import type { RpcId, RpcParams } from '../wire/jsonrpc.ts'
import type { Revision } from '../wire/revisions.ts'
import { traceparentOf } from '../wire/traceparent.ts'

/** The authenticated caller. */
export interface Caller {
  /** Stable identity: a user id, a client id, or the name of a key. */
  readonly subject: string
  /** Name for logs, used instead of the subject because people can share a key. */
  readonly name?: string
  readonly scopes: readonly string[]
  /** Other facts from the credentials, such as a tenant or a region. */
  readonly claims?: Readonly<Record<string, string | number | boolean>>
}

/** The client program as it describes itself. For display and logs, never for decisions. */
export interface Client {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** A client about which nothing is known, because it sent no `initialize`. */
export const unknownClient: Client = { name: undefined, version: undefined, capabilities: {} }

/** The severities from RFC 5424, least severe first, with the specification's names. */
const logLevels = [
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

/** Error for an unknown log level. */
export const NO_LOG_LEVEL = `Unknown log level. Use one of: ${logLevels.join(', ')}.`

/** JSON values that a handler stores between calls, by key. */
export interface SessionStore {
  /** Opens this store in a later call: give it to the model, and accept it as an argument. */
  readonly handle: string
  /** The stored value, or undefined. */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
}

/** A handler's view of its request. The same in both eras. */
export interface Context {
  readonly id: RpcId
  readonly revision: Revision
  readonly client: Client
  readonly caller: Caller | undefined
  /** The request's trace in W3C Trace Context form, if the client sends one. */
  readonly traceparent: string | undefined
  /** A header from the HTTP request that carried this message. */
  header(name: string): string | undefined
  /** Aborts when the client goes away or cancels, or when the call takes too long. */
  readonly signal: AbortSignal
  /** The client's answers to an earlier {@link InputRequired}, by key. */
  readonly answers: Readonly<Record<string, unknown>>
  /** True if the client can receive messages before the result. */
  readonly streams: boolean
  /** Sends the client a notification about this request, before the result. */
  notify(method: string, params: RpcParams): void
  /** Reports progress, if the client requested it. `done` must only increase. */
  progress(done: number, total?: number, message?: string): void
  /** Logs to the client, if it requested messages at this level. Never send it a secret. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Closes the client's connection and keeps working. The client comes back for the rest. Meant
   * for long work in sessions of revisions that support this. Elsewhere it does nothing.
   */
  disconnect(): void
  /**
   * Opens the store that keeps values between calls. A session has one store and needs no handle.
   * Elsewhere each call without a handle begins a new store, and only its handle opens it again. If
   * this caller has no store with this handle, the model gets an error that says so.
   */
  store(handle?: string): Promise<SessionStore>
}

/** The facts from which a context is made. */
export type Facts = Omit<
  Context,
  'signal' | 'traceparent' | 'header' | 'progress' | 'log' | 'disconnect'
> & {
  readonly stop: Stop
  /** The lowest level that the client requested. Undefined if it wants no messages. */
  readonly logLevel?: LogLevel | undefined
  disconnect?(): void
}

/** Makes a context, with functions that send the client progress and log messages. */
export function contextOf(
  facts: Omit<Facts, 'stop' | 'store'>,
  { stop, store, request }: Pick<Facts, 'stop' | 'store'> & { readonly request?: Request },
  params: RpcParams,
): Context {
  // Copied one by one: a spread would be half the cost of a small call.
  const { id, revision, client, caller, answers, streams, logLevel } = facts
  // Work that continues after it was stopped sends nothing.
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
      // The client's own call is closer than the request that carried it (SEP-414).
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
      if (wanted) notify('notifications/progress', { progressToken, progress, total, message })
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
