/** Why an OAuth endpoint refuses a request, for the app and its developer to read (RFC 6749, section 5.2). */
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

/** The answer of an OAuth endpoint to this work, also if it throws an {@link OAuthFault}. */
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
