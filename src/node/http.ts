import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { isHost, Refusal } from '../mcp/index.ts'
import { withoutPrefix } from './connections.ts'
import type { Gateway, Sender } from './gateway.ts'
import { aboutOf, inLog, logged } from './logged.ts'
import { originOf, type ReachableAt } from './origins.ts'

interface Serving {
  readonly gateway: Pick<Gateway, 'fetch'>
  readonly reached: ReachableAt
  readonly running: Set<AbortController>
}

/** Answers one request to a Node server. If the client hangs up, the request's signal is aborted. */
export async function answerTo(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { gateway, reached, running }: Serving,
): Promise<void> {
  const over = new AbortController()
  running.add(over)
  outgoing.once('close', () => {
    running.delete(over)
    over.abort()
  })
  const { signal } = over
  try {
    const found = requestOf(incoming, reached, signal)
    const response =
      'refusal' in found
        ? found.refusal
        : await inLog(aboutOf(found.request), () => gateway.fetch(found.request, found.from))
    await write(response, outgoing, incoming.method === 'HEAD')
  } catch (error) {
    if (signal.aborted) return
    logged(error)
    // Ending a broken body normally would make it look complete.
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(500).end()
  }
}

/** The request for the gateway and the address that it comes from, or the response that refuses it. */
function requestOf(
  incoming: IncomingMessage,
  reached: ReachableAt,
  signal: AbortSignal,
): { readonly request: Request; readonly from: Sender } | { readonly refusal: Response } {
  const { method = 'GET', rawHeaders, socket } = incoming
  const path = pathOf(incoming)
  if (!path) return { refusal: refusal(404, 'There is nothing here.') }
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!)
  // The nearest proxy wrote the last value.
  const said = (name: string) =>
    (reached.proxied && headers.get(`x-forwarded-${name}`)?.split(',').at(-1)?.trim()) || undefined
  const written = headers.get('host') ?? ''
  const named = hostIn(incoming)
  // A request that names two hosts could have passed a proxy because of the other one.
  if (!isValid(written) || (named !== undefined && named !== written.toLowerCase())) {
    return { refusal: refusal(400, 'The Host header is not valid.') }
  }
  const host = said('host') ?? written
  if (!isValid(host)) return { refusal: refusal(400, 'The Host header is not valid.') }
  const isProbe = PROBES.includes(path.split('?', 1)[0]!)
  const origin =
    originOf(host, reached, said('proto')) ?? (isProbe ? (reached.origins[0] ?? OWN) : undefined)
  if (origin === undefined) {
    return { refusal: refusal(421, reached.proxied ? NOT_OF_PROXY : NOT_HERE) }
  }
  const url = new URL(`${origin}${path}`)
  headers.set('host', url.host)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? bodyOf(incoming) : null
  return {
    request: new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit),
    from: { address: withoutPrefix(said('for') ?? socket.remoteAddress ?? '') },
  }
}

/** Paths for health checks. Their callers use any host name that reaches the server. */
const PROBES = ['/health', '/ready']

const OWN = 'http://localhost'

const NOT_HERE =
  'This server does not serve the host that the request names. Use the URL that it printed at startup, or start it with --origin and the URL that you use.'
const NOT_OF_PROXY =
  'This deployment does not serve the host that the request names. Its operator can add the URL that people use, with --origin or the variable TIDEGATE_ORIGIN; the proxy has to send its host as X-Forwarded-Host or Host.'

/** The body that a client sends. If the client hangs up in the middle, that is its fault, not this server's. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const reader = (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>).getReader()
  const pull = async (body: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.read().catch(() => {
      throw new Refusal(400, 'The body was cut off before its end.')
    })
    if (done) body.close()
    else body.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: (why) => reader.cancel(why) }, { highWaterMark: 0 })
}

const refusal = (status: number, message: string) => new Response(`${message}\n`, { status })

const isValid = (host: string): boolean => isHost(host) && URL.canParse(`http://${host}`)

/** The host in a request line in the form for proxies, in lowercase. */
const hostIn = ({ url = '' }: IncomingMessage): string | undefined =>
  /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase()

/** The path that a request names. In the form for proxies, it follows the host. Undefined if it is not valid here. */
function pathOf({ method = '', url = '' }: IncomingMessage): string | undefined {
  // A `Request` cannot have this method.
  if (method === 'TRACE') return undefined
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  // Clients resolve dot segments before they send. A proxy in front could have read them differently.
  return path.startsWith('/') && !DOTS.test(path.split('?', 1)[0]!) ? path : undefined
}

/** Parts that a URL parser would resolve: dot segments and backslashes. */
const DOTS = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Writes a response as fast as the client reads it. */
async function write(response: Response, outgoing: ServerResponse, isHead: boolean): Promise<void> {
  const { status, headers, body } = response
  const cookies = headers.getSetCookie()
  const all: Record<string, string | string[]> = Object.fromEntries(headers)
  if (cookies.length > 0) all['set-cookie'] = cookies
  const reader = body?.getReader()
  if (!reader || isHead) {
    await reader?.cancel()
    outgoing.writeHead(status, all).end()
    return
  }
  outgoing.once('close', () => void reader.cancel().catch(() => {}))
  // A client that opens a stream waits for its headers, and the first message can come much later.
  const isStream = STREAM.test(headers.get('content-type') ?? '')
  if (isStream) outgoing.writeHead(status, all).flushHeaders()
  const first = await reader.read()
  const second = reader.read()
  second.catch(() => {})
  if (!isStream) {
    // The first chunk is usually the whole body. If so, its length can be sent.
    const isAll = first.done || (await Promise.race([second.then(({ done }) => done), soon()]))
    const bytes = first.value ?? new Uint8Array()
    if (isAll) {
      outgoing.writeHead(status, { ...all, 'content-length': bytes.length }).end(bytes)
      return
    }
    outgoing.writeHead(status, all)
  }
  let next: ReadableStreamReadResult<Uint8Array> = first
  for (let pending = second; !next.done; pending = reader.read()) {
    if (!outgoing.write(next.value)) await drained(outgoing)
    next = await pending
  }
  outgoing.end()
}

const STREAM = /^text\/event-stream\b/i

const soon = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  return false
}

/** Resolves when there is room again, or when the client has gone. */
const drained = (outgoing: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      outgoing.off('drain', go).off('close', go)
      resolve()
    }
    outgoing.once('drain', go).once('close', go)
  })
