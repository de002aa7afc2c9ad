import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part of GitHub that a sign-in needs. Everyone is signed in immediately. */
export interface FakeGitHub {
  readonly url: string
  /** The responses of its API, by path. A test can change them. */
  readonly answers: Record<string, unknown>
  /** The headers of its API, by path. */
  readonly headers: Record<string, Record<string, string>>
  close(): Promise<void>
}

/** Starts one for the client `client` with the secret `secret`. */
export async function startGitHub(): Promise<FakeGitHub> {
  const codes = new Map<string, { redirectUri: string; challenge: string; scope: string }>()
  const answers: Record<string, unknown> = {
    '/user': { id: 42, login: 'ada' },
    '/user/emails': [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'ada@example.com', primary: true, verified: true },
    ],
    '/user/orgs': [{ login: 'acme' }],
    '/user/teams': [{ slug: 'data', organization: { login: 'acme' } }],
  }

  const headers: Record<string, Record<string, string>> = {}

  const token = (form: URLSearchParams): object => {
    const begun = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '')
    if (form.get('client_secret') !== 'secret' || form.get('client_id') !== 'client') {
      return { error: 'incorrect_client_credentials', error_description: 'A word of a stranger.' }
    }
    return begun?.redirectUri === form.get('redirect_uri') &&
      begun.challenge === challenge.digest('base64url')
      ? { access_token: 'gho_access', token_type: 'bearer', scope: begun.scope }
      : { error: 'bad_verification_code', error_description: 'A word of a stranger.' }
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams: asked } = new URL(request.url ?? '/', 'http://github')
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    let text = ''
    for await (const chunk of request) text += chunk
    if (!request.headers['user-agent']?.startsWith('Tidegate')) return json(403, {})
    if (pathname === '/login/oauth/access_token') {
      // Without this header, GitHub answers with a form.
      const isJson = request.headers.accept === 'application/json'
      return isJson ? json(200, token(new URLSearchParams(text))) : response.end('error=x')
    }
    if (pathname === '/login/oauth/authorize') {
      const [code, back] = [`code${codes.size}`, new URL(asked.get('redirect_uri')!)]
      // GitHub separates scopes with a comma.
      const scope = (asked.get('scope') ?? '').replaceAll(' ', ',')
      codes.set(code, {
        redirectUri: back.href,
        challenge: asked.get('code_challenge') ?? '',
        scope,
      })
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
      return response.writeHead(302, { location: back.href }).end()
    }
    const isAllowed = request.headers.authorization === 'Bearer gho_access'
    if (!isAllowed || !(pathname in answers)) return json(isAllowed ? 404 : 401, {})
    const answer = answers[pathname]
    const [size, page] = ['per_page', 'page'].map((it) => Number(asked.get(it) ?? 1))
    if (!asked.has('page') || !Array.isArray(answer)) return json(200, answer)
    const to = size! * page!
    const last = Math.ceil(answer.length / size!)
    // GitHub links to the next page and to the last one.
    const link = [page! + 1, last].map((it, i) => {
      return `<http://elsewhere.invalid${pathname}?page=${it}>; rel="${i === 0 ? 'next' : 'last'}"`
    })
    const more = { ...(to < answer.length && { link: link.join(', ') }), ...headers[pathname] }
    return response
      .writeHead(200, { 'content-type': 'application/json', ...more })
      .end(JSON.stringify(answer.slice(to - size!, to)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    headers,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
