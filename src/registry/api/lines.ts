import { unexpected } from '../../mcp/index.ts'

/** Accept header from a client that wants each result as soon as it is available. */
export const LINES = 'application/x-ndjson'

/** True if a client requests the response line by line. */
export const wantsLines = (accept: string): boolean => accept.toLowerCase().includes(LINES)

/**
 * A response with one line of JSON per value, each sent as soon as it is ready. The source of the values is
 * stopped when the client disconnects. An internal error becomes the last line.
 */
export function lines(
  signal: AbortSignal,
  make: (signal: AbortSignal) => AsyncGenerator<object>,
): Response {
  const left = new AbortController()
  const values = make(AbortSignal.any([signal, left.signal]))
  const encoder = new TextEncoder()
  const line = (value: object) => encoder.encode(`${JSON.stringify(value)}\n`)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await values.next()
        // Nothing can be sent to a client that has disconnected.
        if (left.signal.aborted) return
        if (!done) return controller.enqueue(line(value))
      } catch (error) {
        if (left.signal.aborted) return
        controller.enqueue(line({ error: { code: 'internal', message: unexpected(error) } }))
      }
      controller.close()
    },
    cancel() {
      left.abort()
    },
  })
  return new Response(body, { headers: { 'content-type': LINES, 'cache-control': 'no-store' } })
}
