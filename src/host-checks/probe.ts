// Sends requests as a host does, with limits on time and size, and without following redirects.
import { fieldsOf } from './json.ts'

const MAX_WAIT_MS = 10_000
const MAX_BYTES = 256 * 1024

/** Time limit for all requests together. */
const MAX_ALL_MS = 150_000

/** The User-Agent that most hosts send: the name of the runtime they are written for. */
const USUAL_AGENT = 'node'

/** The response to one request, or the reason that there is none. */
export interface ProbeAnswer {
  /** The HTTP status, or 0 if there is no response. */
  readonly status: number
  readonly headers: Headers
  /** The media type, in lower case and without parameters. */
  readonly type: string
  /** The body, up to the limit. */
  readonly text: string
  readonly failure?: ProbeFailure
}

/** The reason that there is no response. */
export interface ProbeFailure {
  readonly cause: 'silent' | 'name' | 'refused' | 'certificate' | 'broken'
  /** The reason, as a sentence. */
  readonly seen: string
}

interface ProbeRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Returns true once the pieces of a stream contain the awaited message. Without it, a stream is not read. */
  readonly isEnough?: (piece: string) => boolean
}

/** Sends one request. It never throws. */
export type Probe = (url: string | URL, request?: ProbeRequest) => Promise<ProbeAnswer>

/** Functions and limits for requests. */
export interface ProbeIo {
  fetch(url: string | URL, init: RequestInit): Promise<Response>
  /** Milliseconds to wait for a response. */
  readonly wait?: number
  /** Maximum number of bytes to read from a response. */
  readonly bytes?: number
}

/** Makes the function that all checks use for requests. */
export function prober({ fetch, wait = MAX_WAIT_MS, bytes = MAX_BYTES }: ProbeIo): Probe {
  const all = AbortSignal.timeout(MAX_ALL_MS)
  return async function probe(url, { method = 'GET', headers = {}, body, isEnough } = {}) {
    try {
      const response = await fetch(url, {
        method,
        headers: { accept: '*/*', 'user-agent': USUAL_AGENT, ...headers },
        body: body ?? null,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(wait), all]),
      })
      const type = typeOf(response)
      const isStream = type === 'text/event-stream'
      // A stream on which no message is awaited could stay open forever.
      if (isStream && !isEnough) await response.body?.cancel().catch(() => {})
      const text = isStream && !isEnough ? '' : await read(response, bytes, isEnough)
      return { status: response.status, headers: response.headers, type, text }
    } catch (error) {
      const failure = failureOf(error, wait)
      return { status: 0, headers: new Headers(), type: '', text: '', failure }
    }
  }
}

const typeOf = ({ headers }: Response): string =>
  (headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase()

/** Reads the body, up to the limit or until `isEnough`. If the connection breaks, earlier data still counts. */
async function read(
  { body }: Response,
  bytes: number,
  isEnough: ProbeRequest['isEnough'],
): Promise<string> {
  if (!body) return ''
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let left = bytes
  try {
    while (left > 0) {
      const { done, value } = await reader.read()
      if (done) break
      const piece = decoder.decode(value.subarray(0, left), { stream: true })
      text += piece
      left -= value.byteLength
      if (isEnough?.(piece)) break
    }
  } catch (error) {
    if (!text) throw error
  }
  // Not awaited, because a server that never ends its response would block here.
  reader.cancel().catch(() => {})
  return text
}

/** Finds the reason in an error from `fetch`. */
function failureOf(error: unknown, wait: number): ProbeFailure {
  const { name, cause } = fieldsOf(error)
  const { errors, message } = fieldsOf(cause)
  const code = String(fieldsOf(Array.isArray(errors) ? errors[0] : cause).code ?? '')
  if (name === 'TimeoutError' || name === 'AbortError')
    return { cause: 'silent', seen: `It does not respond within ${wait / 1000} s.` }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { cause: 'name', seen: 'There is no host with this name.' }
  if (/TIMEDOUT|TIMEOUT/.test(code))
    return { cause: 'silent', seen: 'It does not respond in time.' }
  if (code === 'ECONNREFUSED') return { cause: 'refused', seen: 'Nothing listens on this port.' }
  if (/CERT|SIGNED|TLS|SSL|ISSUER|ALTNAME/.test(code))
    return { cause: 'certificate', seen: `Its certificate is not trusted (${code}).` }
  // Ports of other protocols, such as 25: https://fetch.spec.whatwg.org/#port-blocking
  if (message === 'bad port')
    return {
      cause: 'broken',
      seen: 'Programs are not allowed to connect to this port: use another one.',
    }
  return { cause: 'broken', seen: `The connection failed${code ? ` (${code})` : ''}.` }
}

/** True for an HTML page, which hosts cannot use. */
export const isHtml = ({ type, text }: ProbeAnswer): boolean =>
  type === 'text/html' || /^\s{0,99}<(?:!doctype|html)/i.test(text)

/** True for a redirect, which hosts do not follow. */
export const isRedirect = ({ status, headers }: ProbeAnswer): boolean =>
  status >= 300 && status < 400 && headers.has('location')

/** Describes a response, as the end of a sentence: "returns 404 with a page". */
export function said(answer: ProbeAnswer): string {
  const { status, failure } = answer
  if (failure) return `gives no response: ${asClause(failure.seen)}`
  if (isRedirect(answer)) return `returns ${status} with a redirect`
  if (isHtml(answer)) return `returns ${status} with a page`
  return `returns ${status}`
}

const asClause = (sentence: string): string =>
  sentence.replace(/^./, (first) => first.toLowerCase()).replace(/\.$/, '')
