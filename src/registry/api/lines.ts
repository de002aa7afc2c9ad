import { unexpected } from '../../mcp/index.ts'

/** What a client sends as Accept to be told each thing as soon as it is known. */
export const LINES = 'application/x-ndjson'

/** Whether a client asks for an answer line by line. */
export const wantsLines = (accept: string): boolean => accept.toLowerCase().includes(LINES)

/**
 * An answer of one line of JSON for each value, sent as soon as there is one. What makes the values is
 * stopped when the client leaves. A fault of ours is the last line.
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
        // To a client that has left, nothing can be sent.
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
