import { asRpcError, codes, failure, RpcError } from './jsonrpc.ts'
import { acceptOf, respond } from './reply.ts'
import { isModern } from './revisions.ts'

/** A refusal by the transport, with its HTTP status. */
export class Refusal extends RpcError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code: number = codes.invalidRequest,
  ) {
    super(code, message)
    this.status = status
    this.headers = headers
  }
}

/** The response to a request that failed, for any thrown value. */
export function refused(request: Request, thrown: unknown): Response {
  const error = asRpcError(thrown)
  const status = thrown instanceof Refusal ? thrown.status : thrown === error ? 400 : 500
  // The modern era leaves out an unknown id. The legacy era writes null.
  const modern = isModern(request.headers.get('mcp-protocol-version'))
  const id = error.id ?? (modern ? undefined : null)
  const posted = request.method === 'POST'
  const accept = acceptOf(posted ? request.headers.get('accept') : null)
  const response = respond({ text: failure(id, error), status }, accept)
  if (thrown instanceof Refusal) {
    for (const [name, value] of Object.entries(thrown.headers)) response.headers.set(name, value)
  }
  return response
}
