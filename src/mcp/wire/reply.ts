import { type EventStream, eventStream, frame, streamHeaders } from './sse.ts'

/** The answer to one HTTP request: the text of a response, and its HTTP status. */
export interface Answer {
  readonly text: string
  readonly status: number
}

/** Which forms of answer a client can read. */
export interface Accept {
  readonly json: boolean
  readonly stream: boolean
  /** Whether there is no other connection to come back on. Then this one is not closed. */
  readonly stays?: true
}

/**
 * Reads `Accept` generously: a client that names neither form gets JSON. A refusal would not help:
 * some hosts send no such header, others name only one form.
 */
export function acceptOf(header: string | null): Accept {
  if (!header) return { json: true, stream: true }
  if (header !== last?.header) last = { header, accept: readAccept(header) }
  return last.accept
}

/** The header that was read last: a client sends the same one with every request. */
let last: { readonly header: string; readonly accept: Accept } | undefined

function readAccept(header: string): Accept {
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

/** One answer: in JSON if the client accepts that, else as a stream of one event. */
export function respond({ text, status }: Answer, { json }: Accept): Response {
  return json
    ? new Response(text, { status, headers: jsonHeaders })
    : new Response(frame(text), { status, headers: streamHeaders })
}

/** Says that a message was accepted. Nothing else follows. */
export const accepted = (): Response => new Response(null, { status: 202 })

/** Sends messages to the client while its request runs. */
export interface ReplySink {
  /** Whether a message was sent, so that the answer has become a stream. */
  readonly streaming: boolean
  /** Whether the client reads streams. */
  readonly readable: boolean
  /** Sends a message before the answer. Dropped if the client reads no streams or is gone. */
  send(message: string, id?: string): void
  /** Closes the connection. The work goes on, and the client comes back for the rest. */
  disconnect(): void
}

/** A point in a stream where a client may resume. */
export interface Primer {
  readonly id: string
  readonly retryMs: number
}

/**
 * Answers one HTTP request with the outcome of `work`. The answer is plain, or an event stream if
 * the work sends a message before it returns. If the work returns undefined, the stream just ends,
 * or the request is only acknowledged.
 *
 * @param onCancel Runs when the client closes the stream before its end.
 * @param primer Opens the stream, in revisions that have that.
 */
export function reply(
  work: (sink: ReplySink) => Promise<Answer | undefined>,
  accept: Accept,
  onCancel: () => void,
  primer?: Primer,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stream: EventStream | undefined
    let over = false
    const open = () => {
      if (stream) return stream
      stream = eventStream(onCancel)
      if (primer) stream.prime(primer.id, primer.retryMs)
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
