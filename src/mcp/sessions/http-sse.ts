// The deprecated HTTP+SSE transport from `2024-11-05`. A client opens a stream, reads the address to post to from it,
// and gets every response on that stream. Both requests reach an ordinary session.
import type { Exchange } from '../eras/exchange.ts'
import { allowsOrigin, FOREIGN_ORIGIN, type OriginPolicy } from '../eras/origin.ts'
import { readBody } from '../wire/body.ts'
import { limits } from '../wire/limits.ts'
import { Refusal, refused } from '../wire/refusal.ts'
import { accepted } from '../wire/reply.ts'
import { messagesIn } from '../wire/sse.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** Query parameter that identifies the session in the address to post to. */
const SESSION_PARAMETER = 'sessionId'

/**
 * Serves `GET` with a stream, and `POST` to the address in the stream's first event.
 *
 * @example
 *
 * ```ts
 * app.all('/sse', (c) => serveHttpSse(c.req.raw, sessions))
 * ```
 */
export async function serveHttpSse(
  request: Request,
  sessions: Sessions,
  policy: OriginPolicy = {},
): Promise<Response> {
  const { caller } = policy
  try {
    const url = new URL(request.url)
    const posted = request.method === 'POST'
    const body = posted ? await readBody(request, limits.bodyBytes) : ''
    if (!allowsOrigin(request, policy)) throw new Refusal(403, FOREIGN_ORIGIN)
    if (posted) {
      const id = url.searchParams.get(SESSION_PARAMETER) ?? ''
      const again = new Request(url, { method: 'POST', headers: request.headers, body })
      return await sessions.post(again, id, caller)
    }
    if (request.method !== 'GET')
      throw new Refusal(405, 'Open a stream with GET.', { allow: 'GET, POST' })
    const { id, response } = await sessions.stream(
      new Request(url, { headers: request.headers }),
      caller,
    )
    const address = `${url.pathname}?${SESSION_PARAMETER}=${encodeURIComponent(id)}`
    return new Response(after(`event: endpoint\ndata: ${address}\n\n`, response.body!), response)
  } catch (error) {
    return refused(request, error)
  }
}

/** A stream with text prepended. */
function after(text: string, rest: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = rest.getReader()
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Serves a message in its session. The response goes to the stream. */
export async function answerByStream(session: Session, exchange: Exchange): Promise<Response> {
  const response = await session.fetch({ ...exchange, accept: { json: true, stream: true } })
  void relay(response, session)
  return accepted()
}

async function relay(response: Response, session: Session): Promise<void> {
  for await (const message of messagesIn(response)) session.tell(message)
}
