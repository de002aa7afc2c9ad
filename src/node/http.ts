import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Refusal } from '../mcp/index.ts'
import type { Gateway } from './gateway.ts'
import { logged } from './logged.ts'

interface Serving {
  readonly gateway: Pick<Gateway, 'fetch'>
  readonly proxied: boolean
  /** The requests that are being answered. */
  readonly running: Set<AbortController>
}

/** Answers one request of a server of Node. A client that hangs up aborts the signal of its request. */
export async function answerTo(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { gateway, proxied, running }: Serving,
): Promise<void> {
  const over = new AbortController()
  running.add(over)
  outgoing.once('close', () => {
    running.delete(over)
    over.abort()
  })
  const { signal } = over
  try {
    const path = pathOf(incoming)
    const request = path && requestOf(incoming, path, { proxied, signal })
    const response = request
      ? await gateway.fetch(request)
      : refusal(path ? 400 : 404, path ? 'The Host header is not valid.' : 'There is nothing here.')
    await write(response, outgoing, incoming.method === 'HEAD')
  } catch (error) {
    if (signal.aborted) return
    logged(error)
    // The end of a body that broke would say that it is whole.
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(500).end()
  }
}

/** The request as a Worker gets it; undefined if its host is none. */
function requestOf(
  incoming: IncomingMessage,
  path: string,
  { proxied, signal }: { readonly proxied: boolean; readonly signal: AbortSignal },
): Request | undefined {
  const { method = 'GET', rawHeaders, socket } = incoming
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!)
  // The last one was written by the proxy that is nearest.
  const said = (name: string) =>
    (proxied && headers.get(`x-forwarded-${name}`)?.split(',').at(-1)?.trim()) || undefined
  const host = said('host') ?? headers.get('host') ?? ''
  const protocol = said('proto') === 'https' ? 'https' : 'http'
  headers.set('host', host)
  headers.set('cf-connecting-ip', plain(said('for') ?? socket.remoteAddress ?? ''))
  const url = URL.parse(`${protocol}://${host}${path}`)
  if (!url || url.username || url.password) return undefined
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? bodyOf(incoming) : null
  return new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit)
}

/** What a client sends. One that hangs up amid it has made a fault, and not this server. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const reader = (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>).getReader()
  const pull = async (body: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.read().catch(() => {
      throw new Refusal(400, 'The body did not come to its end.')
    })
    if (done) body.close()
    else body.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: (why) => reader.cancel(why) }, { highWaterMark: 0 })
}

const refusal = (status: number, message: string) => new Response(`${message}\n`, { status })

/** The path that a request names: in the form for proxies, it follows the host. Undefined if none can be here. */
function pathOf({ method = '', url = '' }: IncomingMessage): string | undefined {
  // No `Request` is made of this.
  if (method === 'TRACE') return undefined
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  // Programs resolve these before they ask. A proxy in front may have read them in another way.
  return path.startsWith('/') && !DOTS.test(path.split('?', 1)[0]!) ? path : undefined
}

/** What a URL would resolve: segments of dots, and backslashes. */
const DOTS = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** An IPv4 address as such, where the socket is of both kinds. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Writes an answer, as fast as the client reads it. */
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
  const first = await reader.read()
  // What is there at once is most often all: then its length can be told.
  const second = reader.read()
  second.catch(() => {})
  const isAll = !first.done && (await Promise.race([second.then(({ done }) => done), soon()]))
  if (first.done || isAll) {
    const bytes = first.value ?? new Uint8Array()
    outgoing.writeHead(status, { ...all, 'content-length': bytes.length }).end(bytes)
    return
  }
  outgoing.writeHead(status, all)
  let next: ReadableStreamReadResult<Uint8Array> = first
  for (let pending = second; !next.done; pending = reader.read()) {
    if (!outgoing.write(next.value)) await drained(outgoing)
    next = await pending
  }
  outgoing.end()
}

const soon = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  return false
}

/** Resolves when there is room again, or nobody reads any more. */
const drained = (outgoing: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      outgoing.off('drain', go).off('close', go)
      resolve()
    }
    outgoing.once('drain', go).once('close', go)
  })
