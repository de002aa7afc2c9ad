/** One server-sent event stream and the response that carries it. */
export interface EventStream {
  readonly response: Response
  /** Sends one JSON-RPC message as text. The client may resume after its id. */
  send(message: string, id?: string): void
  /** Tells the client where to resume, and after how many milliseconds to come back. */
  prime(id: string, retryMs: number): void
  /** Tells the client after how many milliseconds to come back. */
  retry(ms: number): void
  close(): void
}

/** Frames one message. Sent in one piece: some readers end an event at a gap. */
export const frame = (message: string, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${message}\n\n`

/** A client whose connection was closed comes back after this time. */
export const RETRY_MS = 1_000

/** Keep proxies from buffering or compressing a stream. */
export const streamHeaders = new Headers({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

/** Only a write shows that the reader has disconnected. */
const KEEP_ALIVE_MS = 15_000

/** Events that may wait for a slow reader. A pull costs more than most events (measured). */
const BUFFERED_EVENTS = 16

const encoder = new TextEncoder()
const comment = encoder.encode(':\n\n')

/** Opens a stream. `onCancel` runs when the reader goes away first. */
export function eventStream(onCancel: () => void, keepAliveMs = KEEP_ALIVE_MS): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const keepAlive = setInterval(() => controller?.enqueue(comment), keepAliveMs)
  const end = () => {
    clearInterval(keepAlive)
    controller = undefined
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(it) {
        controller = it
      },
      cancel() {
        end()
        onCancel()
      },
    },
    { highWaterMark: BUFFERED_EVENTS },
  )
  const write = (text: string) => controller?.enqueue(encoder.encode(text))
  return {
    response: new Response(body, { headers: streamHeaders }),
    send: (message, id) => write(frame(message, id)),
    prime: (id, retryMs) => write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    retry: (ms) => write(`retry: ${ms}\n\n`),
    close() {
      controller?.close()
      end()
    },
  }
}

const DATA = 'data: '

/** The messages of a response, which is one message or a stream of them, made here. */
export async function* messagesIn(response: Response): AsyncIterable<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const message = await response.text()
    if (message) yield message
    return
  }
  if (!response.body) return
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop()!
    for (const event of events) {
      // Not by a pattern: to one, U+2028 ends a line.
      const data = event.split('\n').find((line) => line.startsWith(DATA))
      if (data && data.length > DATA.length) yield data.slice(DATA.length)
    }
  }
}
