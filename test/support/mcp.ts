import { type ServeOptions, serve } from '../../src/mcp/index.ts'

export const MODERN = '2026-07-28'
export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown> | null
}

/** The `_meta` of every modern request. */
export const meta = (version: string = MODERN) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

/** A POST with `body`, as text or as JSON. */
export const postOf = (body: unknown, headers: Record<string, string> = {}) =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  })

/** A request like that of a client of `version`. */
export function requestOf(
  version: string,
  { id = 1, method = 'ping', params = {} }: Message,
): Request {
  if (version !== MODERN) {
    const headers: Record<string, string> =
      method === 'initialize' ? {} : { 'mcp-protocol-version': version }
    return postOf({ jsonrpc: '2.0', id, method, params }, headers)
  }
  const name = (params?.name ?? params?.uri) as string | undefined
  return postOf(
    {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...meta(), ...(params?._meta as object) } },
    },
    {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name !== undefined &&
        /^(tools\/call|prompts\/get|resources\/read)$/.test(method) && {
          'mcp-name': name,
        }),
    },
  )
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

/** Serves a request and reads the answer, as JSON or from the last event of a stream. */
export async function ask(options: ServeOptions, request: Request): Promise<Reply> {
  const response = await serve(request, options)
  const text = await response.text()
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const json = stream
    ? text
        .split('\n\n')
        .at(-2)
        ?.replace(/^event: message\ndata: /, '')
    : text
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(json) : undefined,
  }
}
