import type { RunningWorker } from './worker.ts'

export const OPERATOR_KEY = 'key-of-the-operator-0123456789abcdef'
export const SECRET = 'fL9w0Q2cXv7yR4tB8nM1kZ5sD3gH6jPa'

/** The variables of a Worker with a registry that can reach databases on this machine. */
export const operated = {
  TIDEGATE_KEY: OPERATOR_KEY,
  TIDEGATE_SECRET: SECRET,
  PRIVATE_HOSTS: '127.0.0.1',
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly json: any
}

/** Sends a request to the API of a Worker, as its operator unless there are other headers. */
export async function askApi(
  { url }: Pick<RunningWorker, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${OPERATOR_KEY}` },
): Promise<ApiAnswer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
  const { status } = response
  return { status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}
