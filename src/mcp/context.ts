import type { RpcId, RpcParams } from './jsonrpc.ts'
import type { Revision } from './revisions.ts'

/** Who is asking, as authentication established it. */
export interface Caller {
  /** Stable identity: a user id, a client id, the name of a key. */
  readonly subject: string
  readonly scopes: readonly string[]
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

/** What a handler knows about the request it serves. The same in both eras. */
export interface Context {
  readonly id: RpcId
  readonly revision: Revision
  readonly client: Client
  readonly caller: Caller | undefined
  /** Aborts when the client goes away or cancels. */
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
}

/** A context before it can tell the client anything about its work. */
export type Facts = Omit<Context, 'progress' | 'log' | 'disconnect'> & { disconnect?(): void }

/** Completes a context with the two things a handler tells the client about its work. */
export function contextOf(
  facts: Facts,
  params: RpcParams,
  threshold: LogLevel | undefined,
): Context {
  const { notify } = facts
  const { progressToken } = (params._meta ?? {}) as { progressToken?: unknown }
  const wanted = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  const least = threshold ? logLevels.indexOf(threshold) : Number.POSITIVE_INFINITY
  return {
    disconnect() {},
    ...facts,
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
