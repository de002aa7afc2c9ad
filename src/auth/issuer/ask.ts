import { IssuerFault } from './fault.ts'

export type Fetch = typeof globalThis.fetch

/** What an issuer answered. */
export interface IssuerAnswer {
  readonly status: number
  /** Undefined if it is no JSON. */
  readonly json: unknown
}

/** How long an issuer has for an answer, to its last byte. */
const PATIENCE_MS = 5_000

/** The longest answer that is read. */
const MAX_BYTES = 256 * 1024

/**
 * Asks an issuer for JSON. It follows no redirect: that would let one host speak for another, and carry
 * a secret elsewhere. Throws {@link IssuerFault}.
 */
export async function ask(
  url: string,
  fetch: Fetch,
  { headers, ...init }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<IssuerAnswer> {
  const request: RequestInit = {
    ...init,
    // GitHub refuses who does not say what they are.
    headers: { accept: 'application/json', 'user-agent': 'Tidegate', ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }
  // An error of `fetch` may hold the address, so it is dropped.
  const answered = async () => {
    const response = await fetch(url, request)
    return { status: response.status, text: await read(response) }
  }
  const { status, text } = await answered().catch(() => {
    throw new IssuerFault('The identity provider did not answer in time. Try again in a minute.')
  })
  if (text === undefined) {
    throw new IssuerFault('The identity provider gave an answer that is too long to read.')
  }
  return { status, json: parsed(text) }
}

/** Asks an issuer for JSON that it has to have. Throws {@link IssuerFault}. */
export async function askFor(...asked: Parameters<typeof ask>): Promise<unknown> {
  const { status, json } = await ask(...asked)
  if (status === 200 && json !== undefined) return json
  throw new IssuerFault(
    'The identity provider did not give what was asked for. Try again in a minute. If that does not help, the operator has to check the address of the issuer.',
  )
}

/** The text of an answer; nothing if it is too long. */
async function read({ body }: Response): Promise<string | undefined> {
  const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (!reader) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > MAX_BYTES) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
