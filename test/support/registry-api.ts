import type { RunningWorker } from './worker.ts'

export const OPERATOR_KEY = 'key-of-the-operator-0123456789abcdef'
export const SECRET = 'fL9w0Q2cXv7yR4tB8nM1kZ5sD3gH6jPa'

/** What a Worker needs to have a registry, which may reach databases of this machine. */
export const operated = {
  TIDEGATE_KEY: OPERATOR_KEY,
  TIDEGATE_SECRET: SECRET,
  PRIVATE_HOSTS: '127.0.0.1',
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  readonly json: any
}

/** Asks the API of a Worker, as its operator unless other headers are given. */
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
