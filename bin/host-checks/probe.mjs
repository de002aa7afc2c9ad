// Asks a server as a host does: with a bound on the wait and on what is read, and no redirect followed.

const MAX_WAIT_MS = 10_000
const MAX_BYTES = 256 * 1024

/** How long all requests together may take. */
const MAX_ALL_MS = 150_000

/** What most hosts call themselves: the runtime they are written for. */
export const USUAL_AGENT = 'node'

/**
 * Makes the function that all checks ask with. Its promise is of an answer; one with the status 0 never came, and
 * its `fault` says why.
 */
export function prober({ fetch, wait = MAX_WAIT_MS, bytes = MAX_BYTES }) {
  const all = AbortSignal.timeout(MAX_ALL_MS)
  return async function probe(url, { method = 'GET', headers = {}, body, isEnough } = {}) {
    try {
      const response = await fetch(url, {
        method,
        headers: { accept: '*/*', 'user-agent': USUAL_AGENT, ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(wait), all]),
      })
      const isStream = typeOf(response) === 'text/event-stream'
      // A stream that nobody asked a question on may stay open for ever.
      if (isStream && !isEnough) await response.body?.cancel().catch(() => {})
      const text = isStream && !isEnough ? '' : await read(response, bytes, isEnough)
      return { status: response.status, headers: response.headers, type: typeOf(response), text }
    } catch (error) {
      return { status: 0, headers: new Headers(), type: '', text: '', ...faultOf(error, wait) }
    }
  }
}

const typeOf = ({ headers }) =>
  (headers.get('content-type') ?? '').split(';', 1)[0].trim().toLowerCase()

/** The body, up to the bound, or to a piece that `isEnough`. What came before a connection broke counts. */
async function read({ body }, bytes, isEnough) {
  const reader = body?.getReader()
  if (!reader) return ''
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
  // Not awaited: a server that never ends would keep it waiting.
  reader.cancel().catch(() => {})
  return text
}

/** Why there is no answer, and whether it is for a host that cannot be found, or a certificate. */
function faultOf(error, wait) {
  const { code = '' } = error.cause?.errors?.[0] ?? error.cause ?? {}
  const seconds = `${wait / 1000} s`
  if (/^(?:TimeoutError|AbortError)$/.test(error.name))
    return { cause: 'silent', fault: `It gives no answer within ${seconds}.` }
  if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(code))
    return { cause: 'name', fault: 'There is no host of this name.' }
  if (/TIMEDOUT|TIMEOUT/.test(code))
    return { cause: 'silent', fault: 'It gives no answer in time.' }
  if (code === 'ECONNREFUSED') return { cause: 'refused', fault: 'Nothing listens at this port.' }
  if (/CERT|SIGNED|TLS|SSL|ISSUER|ALTNAME/.test(code))
    return { cause: 'certificate', fault: `Its certificate is not trusted (${code}).` }
  // Ports of other protocols, such as 25: https://fetch.spec.whatwg.org/#port-blocking
  if (error.cause?.message === 'bad port')
    return { cause: 'broken', fault: 'No program may ask a server at this port: take another one.' }
  return { cause: 'broken', fault: `The connection failed${code ? ` (${code})` : ''}.` }
}

/** The JSON of an answer, or undefined. */
export function jsonOf({ text }) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object in an answer, or undefined. */
export function objectOf(answer) {
  const value = jsonOf(answer)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

export const isHtml = ({ type, text }) =>
  type === 'text/html' || /^\s{0,99}<(?:!doctype|html)/i.test(text)

export const isRedirect = ({ status, headers }) =>
  status >= 300 && status < 400 && headers.has('location')

/** The URL in this text, by itself or seen from `base`; or undefined. */
export const urlIn = (text, base) =>
  typeof text === 'string' && URL.canParse(text, base) ? new URL(text, base) : undefined

/** What kind of answer came, as the end of a sentence: "answers 404 with a page". */
export function said(answer) {
  if (answer.status === 0) return `gives no answer: ${lowered(answer.fault)}`
  if (isRedirect(answer)) return `answers ${answer.status} and points elsewhere`
  if (isHtml(answer)) return `answers ${answer.status} with a page`
  return `answers ${answer.status}`
}

const lowered = (sentence) =>
  sentence.replace(/^./, (first) => first.toLowerCase()).replace(/\.$/, '')
