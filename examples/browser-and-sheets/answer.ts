import { ToolError } from 'tidegate/mcp'

/** The answer of an API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Its JSON; undefined if it has none. The caller checks its type. */
  readonly body: unknown
}

/** More than a page should have, and small enough for memory. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Sends a POST request to an API. The wait ends with the call, or after a minute. Throws a {@link ToolError} if
 * the API does not answer; an answer with any status is returned.
 *
 * @param who The name of the API for a person.
 */
export async function ask(
  who: string,
  url: string,
  init: RequestInit,
  call: AbortSignal,
  timeoutMs = 60_000,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([call, timeout])
  try {
    // A redirect is not followed, because it would get the token.
    const response = await fetch(url, { ...init, method: 'POST', redirect: 'manual', signal })
    const { status, headers } = response
    return { status, headers, body: jsonOf(await textOf(who, response)) }
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (call.aborted) throw new ToolError(`The call ended before ${who} answered.`)
    throw new ToolError(
      `${who} ${timeout.aborted ? 'did not answer in time' : 'cannot be reached'}.`,
    )
  }
}

async function textOf(who: string, response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    if (size > MAX_BYTES) throw new ToolError(`${who} answered with more than 4 MiB.`)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds until a rate-limited API allows the next call, at most a day; NaN if the answer does not say. */
export function secondsUntilNext({ headers }: Answer): number {
  const seconds = Math.ceil(Number(headers.get('retry-after') || Number.NaN))
  return seconds >= 1 ? Math.min(seconds, 24 * 60 * 60) : Number.NaN
}

/** The same in words. */
export function whenAgain(answer: Answer): string {
  const seconds = secondsUntilNext(answer)
  if (!(seconds >= 0)) return 'in a minute'
  if (seconds < 120) return `in ${seconds} seconds`
  return `in ${Math.ceil(seconds / 60)} minutes`
}

/** Waits, and throws if the call ends first. */
export async function pause(seconds: number, call: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1_000)
  call.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
  if (call.aborted) throw new ToolError('The call ended.')
}
