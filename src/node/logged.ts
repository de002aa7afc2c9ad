import { AsyncLocalStorage } from 'node:async_hooks'

/** The subject of a log line. */
export interface LoggedSubject {
  readonly endpoint?: string | undefined
  readonly trace?: string | undefined
}

const about = new AsyncLocalStorage<LoggedSubject>()

/** Runs some work, and adds its subject to the lines that it logs. */
export const inLog = <T>(more: LoggedSubject, work: () => T): T =>
  about.run({ ...about.getStore(), ...more }, work)

/** Runs work that belongs to no request, even if a request triggered it. */
export const outOfLog = <T>(work: () => T): T => about.run({}, work)

/** The subject of the line that is being logged. */
export const aboutNow = (): LoggedSubject => about.getStore() ?? {}

/** Logs a failure in work that nobody waits for. */
export const logged = (error: unknown): void => console.error(error)

const ENDPOINT = /^\/(?:mcp|record|doctor)\/([a-z\d][a-z\d-]{0,30})(?:\/|$)/
const TRACE = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/

/** The subject of a request, as far as its path and headers show it. */
export function aboutOf({ url, headers }: Request): LoggedSubject {
  const endpoint = ENDPOINT.exec(new URL(url).pathname)?.[1]
  const trace = TRACE.exec(headers.get('traceparent') ?? '')?.[1]
  return { ...(endpoint && { endpoint }), ...(trace && { trace }) }
}
