import { codes, Refusal, RpcError, readBody } from '../../mcp/index.ts'

/** Reports that an OAuth endpoint refuses a request, for the app and its developer to read (RFC 6749, section 5.2). */
export class OAuthFault extends Error {
  override readonly name = 'OAuthFault'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: string,
    message: string,
    {
      status = 400,
      headers = {},
    }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** Returns the response of an OAuth endpoint, including the one for an {@link OAuthFault}. */
export async function answering(work: Promise<Response>): Promise<Response> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OAuthFault)) throw error
    const { code, message, status, headers } = error
    const body = { error: code, error_description: message }
    return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
  }
}

/** Maximum size of a form or of an app's metadata, in bytes. */
const MAX_BYTES = 64 * 1024

/** Reads the body of a request, whose length may be unknown. Throws {@link OAuthFault}. */
export async function bodyOf(request: Request): Promise<string> {
  try {
    return await readBody(request, MAX_BYTES)
  } catch (error) {
    if (error instanceof Refusal) {
      const message = `The body must have at most ${MAX_BYTES / 1024} KiB.`
      throw new OAuthFault('invalid_request', message, { status: 413 })
    }
    if (error instanceof RpcError && error.code === codes.parse) {
      throw new OAuthFault('invalid_request', 'The body is not UTF-8.')
    }
    throw error
  }
}

/**
 * Reads the form in a request. A parameter without a value counts as missing. No parameter can be repeated (RFC 6749,
 * section 3.2) except `resource`, although only a single one is served. Throws {@link OAuthFault}.
 */
export async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const text = await bodyOf(request)
  if (type !== FORM) throw new OAuthFault('invalid_request', `Send the parameters as ${FORM}.`)
  const sent = [...new URLSearchParams(text)].filter(([, value]) => value !== '')
  const names = new Set<string>()
  for (const [name] of sent) {
    if (names.has(name) && name !== 'resource') {
      throw new OAuthFault('invalid_request', 'A parameter is repeated.')
    }
    names.add(name)
  }
  return new URLSearchParams(sent)
}

const FORM = 'application/x-www-form-urlencoded'
