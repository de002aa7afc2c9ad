import { type EventStream, eventStream, frame, streamHeaders } from './sse.ts'

/** The response to one HTTP request: its text and its HTTP status. */
export interface HttpAnswer {
  readonly text: string
  readonly status: number
}

/** The response formats that a client can read. */
export interface Accept {
  readonly json: boolean
  readonly stream: boolean
  /** True if the client has no other connection to come back on. This one is then not closed. */
  readonly stays?: true
}

/**
 * Reads `Accept` leniently: a client that lists neither format gets JSON. A refusal would not help, because
 * some hosts do not send this header and others list only one format.
 */
export function acceptOf(header: string | null): Accept {
  if (!header) return { json: true, stream: true }
  const types = header
    .toLowerCase()
    .split(',')
    .filter((it) => !/;\s*q=0(\.0*)?\s*$/.test(it))
  const has = (...names: string[]) => types.some((it) => names.includes(it.split(';')[0]!.trim()))
  const any = has('*/*')
  const stream = any || has('text/event-stream', 'text/*')
  return { json: any || has('application/json', 'application/*') || !stream, stream }
}

const jsonHeaders = new Headers({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
})

/** One response: JSON if the client accepts it, otherwise a stream with one event. */
export function respond({ text, status }: HttpAnswer, { json }: Accept): Response {
  return json
    ? new Response(text, { status, headers: jsonHeaders })
    : new Response(frame(text), { status, headers: streamHeaders })
}

/** Confirms that a message was accepted. Nothing else follows. */
export const accepted = (): Response => new Response(null, { status: 202 })

/** Sends messages to the client while its request runs. */
export interface ReplySink {
  /** True once a message has been sent, which turns the response into a stream. */
  readonly streaming: boolean
  /** True if the client reads streams. */
  readonly readable: boolean
  /** Sends a message before the result. It is dropped if the client does not read streams or is gone. */
  send(message: string, id?: string): void
  /** Closes the connection. The work continues, and the client comes back for the rest. */
  disconnect(): void
}

/**
 * Answers one HTTP request with the outcome of `work`. The response is plain, or an event stream if
 * the work sends a message before it returns. If the work returns undefined, the stream just ends,
 * or the request is only acknowledged.
 *
 * @param onCancel Runs when the client closes the stream before its end.
 * @param primer The id in the stream's first event, in revisions that support it. A client can resume from it.
 */
export function reply(
  work: (sink: ReplySink) => Promise<HttpAnswer | undefined>,
  accept: Accept,
  onCancel: () => void,
  primer?: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stream: EventStream | undefined
    let over = false
    const open = () => {
      if (stream) return stream
      stream = eventStream(onCancel)
      if (primer) stream.prime(primer)
      resolve(stream.response)
      return stream
    }
    const sink: ReplySink = {
      get streaming() {
        return stream !== undefined
      },
      readable: accept.stream,
      send(message, id) {
        if (accept.stream && !over) open().send(message, id)
      },
      disconnect() {
        if (accept.stream && !accept.stays) open().close()
      },
    }
    work(sink).then((answer) => {
      over = true
      if (!stream) return resolve(answer ? respond(answer, accept) : accepted())
      if (answer) stream.send(answer.text)
      stream.close()
    }, reject)
  })
}
