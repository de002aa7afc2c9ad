/** The type of `fetch`, which callers pass as an argument. */
export type Fetch = typeof globalThis.fetch

/** Reports that an issuer cannot be used, in a message for people. The message contains no text from the issuer. */
export class IssuerFault extends Error {
  override readonly name = 'IssuerFault'
}

/** Reports that a signed token is refused, in a message for people. The message contains no text from the token. */
export class SignedTokenFault extends Error {
  override readonly name = 'TokenFault'
}

/** A response from an issuer. */
interface IssuerAnswer {
  readonly status: number
  /** Undefined if the body is not JSON. */
  readonly json: unknown
  readonly headers: Headers
}

/** Time limit for an issuer's complete response. */
const PATIENCE_MS = 5_000

/** Maximum size of a response. */
const MAX_BYTES = 256 * 1024

/**
 * Requests JSON from an issuer. Redirects are not followed: with them, one host could respond for another, and a secret
 * could be sent elsewhere. Throws {@link IssuerFault}.
 */
export async function ask(
  url: string,
  fetch: Fetch,
  { headers, ...init }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<IssuerAnswer> {
  const request: RequestInit = {
    ...init,
    // GitHub refuses requests without a user agent.
    headers: { accept: 'application/json', 'user-agent': 'Tidegate', ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }
  // An error from `fetch` can contain the address, so it is dropped.
  const answered = async () => {
    const response = await fetch(url, request)
    return [response, await read(response)] as const
  }
  const [response, text] = await answered().catch(() => {
    throw new IssuerFault('The identity provider did not answer in time. Try again in a minute.')
  })
  if (text === undefined) {
    throw new IssuerFault('The identity provider gave an answer that is too long to read.')
  }
  return { status: response.status, json: parsed(text), headers: response.headers }
}

/**
 * Requests JSON that the issuer must provide. Throws {@link IssuerFault} unless the status is 200 and the body is JSON.
 */
export async function askFor(...asked: Parameters<typeof ask>): Promise<unknown> {
  return (await askWhole(...asked)).json
}

/** Does the same as {@link askFor}, and also returns the status and headers of the response. */
export async function askWhole(...asked: Parameters<typeof ask>): Promise<IssuerAnswer> {
  const answer = await ask(...asked)
  if (answer.status === 200 && answer.json !== undefined) return answer
  throw new IssuerFault(
    'The identity provider did not give what was asked for. Try again in a minute. If that does not help, the operator has to check the address of the issuer.',
  )
}

/** Reads the text of a response; undefined if it is too long. */
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
