/** One server-sent event stream and the response that carries it. */
export interface EventStream {
  readonly response: Response
  /** Sends one JSON-RPC message as text. The client can resume after its id. */
  send(message: string, id?: string): void
  /** Tells the client where to resume, and when to reconnect. */
  prime(id: string): void
  /** Tells the client when to reconnect. */
  retry(): void
  close(): void
}

/** Frames one message. It is sent in one chunk, because some readers end an event at a gap. */
export const frame = (message: string, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${message}\n\n`

/** Milliseconds before a client whose connection was closed reconnects. */
const RETRY_MS = 1_000

/** Keeps proxies from buffering or compressing a stream. */
export const streamHeaders = new Headers({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

/** Only a write shows that the reader has disconnected. */
const KEEP_ALIVE_MS = 15_000

/** Number of events buffered for a slow reader. A pull costs more than most events (measured). */
const BUFFERED_EVENTS = 16

const encoder = new TextEncoder()
const comment = encoder.encode(':\n\n')

/** Opens a stream. `onCancel` runs if the reader goes away first. */
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
    prime: (id) => write(`id: ${id}\nretry: ${RETRY_MS}\ndata: \n\n`),
    retry: () => write(`retry: ${RETRY_MS}\n\n`),
    close() {
      controller?.close()
      end()
    },
  }
}

const DATA = 'data: '

/** The messages in a response made here: one message, or a stream of them. */
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
      // Not with a regular expression, for which U+2028 ends a line.
      const data = event.split('\n').find((line) => line.startsWith(DATA))
      if (data && data.length > DATA.length) yield data.slice(DATA.length)
    }
  }
}
