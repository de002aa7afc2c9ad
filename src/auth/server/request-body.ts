import { codes, Refusal, RpcError, readBody } from '../../mcp/index.ts'
import { OAuthFault } from './oauth-fault.ts'

/** Bytes of a form, or of what an app says of itself. */
const MAX_BYTES = 64 * 1024

/** The body of a request, which may not say how long it is. Throws {@link OAuthFault}. */
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
 * The form in a request. A parameter without a value counts as left out, and none may be there twice
 * (RFC 6749, section 3.2), except `resource`, of which only one is served. Throws {@link OAuthFault}.
 */
export async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const text = await bodyOf(request)
  if (type !== FORM) throw new OAuthFault('invalid_request', `Send the parameters as ${FORM}.`)
  const sent = [...new URLSearchParams(text)].filter(([, value]) => value !== '')
  const names = new Set<string>()
  for (const [name] of sent) {
    if (names.has(name) && name !== 'resource') {
      throw new OAuthFault('invalid_request', 'A parameter is there twice.')
    }
    names.add(name)
  }
  return new URLSearchParams(sent)
}

const FORM = 'application/x-www-form-urlencoded'
