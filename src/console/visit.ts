/** What a section of the Console gets with each request. The operator is signed in, and a form is from a page of ours. */
export interface Visit {
  /** Of the request: `https://tidegate.example.workers.dev`. */
  readonly origin: string
  /** Whether it runs in a Worker, and not on a machine. */
  readonly isWorker: boolean
  /** Who is signed in, as the record of changes calls them. */
  readonly operator: string
  /** Stands in every form. */
  readonly formToken: string
  /** The fields of the form that was sent. */
  readonly fields: URLSearchParams
  /** Ends when nobody waits any more. */
  readonly signal: AbortSignal
  /** Asks the API of this deployment, without the network, by a path such as `/endpoints`. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Sends a request to an endpoint, as an app does (revision 2026-07-28), but as the operator. */
  mcp(
    endpoint: string,
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<RpcAnswer>
}

/** The answer of an endpoint (JSON-RPC). */
export interface RpcAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what comes back.
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

/** The answer of the API. One that is no success has `error`. */
export interface ApiAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what comes back.
  readonly body: any
  readonly headers: Headers
}

/** Asks the API, with a body in JSON. Does not throw for a refusal: that is `{ error: { code, message, field } }`. */
export async function ask(
  { send, signal }: Visit,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<ApiAnswer> {
  const answer = await send(path, {
    method,
    signal,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const { status, headers } = answer
  const text = await answer.text()
  return { status, headers, body: text ? JSON.parse(text) : undefined }
}
