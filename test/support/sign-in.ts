import { createHash, randomBytes } from 'node:crypto'
import { CALLBACK, Visitor } from './visitor.ts'

/** The form fields of a page, as a browser would send them with every checkbox checked. */
function fieldsIn(page: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    const [, name] = / name="([^"]*)"/.exec(tag) ?? []
    const [, value = ''] = / value="([^"]*)"/.exec(tag) ?? []
    if (name) fields[name] = [...(fields[name] ?? []), value]
  }
  return fields
}

/** An app that is registered at a Worker, and the browser of a person who signs in with a passphrase or a code. */
export async function registeredApp(origin: string, passphrase: string, metadata: object = {}) {
  const registered = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const visitor = new Visitor(origin)

  async function token(form: Record<string, string>) {
    const body = new URLSearchParams({ client_id, ...form })
    const answer = await fetch(`${origin}/token`, { method: 'POST', body })
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
    return { status: answer.status, json: (await answer.json()) as any }
  }

  return {
    id: client_id,
    token,
    refresh: (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token }),
    /** Signs in if necessary, allows everything, and gets tokens for this path. */
    signIn: async (path?: string) => (await ready(path))(),
    ready,
  }

  /** Signs in if necessary, and opens the page that asks. Returns how to allow everything and get tokens. */
  async function ready(path = '/mcp') {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'db:read',
      resource: `${origin}${path}`,
    })
    const url = `/authorize?${query}`
    let page = await visitor.open(url)
    if (page.text.includes('name="passphrase"')) {
      const shown = fieldsIn(page.text)
      const back = await visitor.send(url, { ...shown, passphrase })
      page = await visitor.open(back.location ?? url)
    }
    return async () => {
      const done = await visitor.send(url, { ...fieldsIn(page.text), decision: 'allow' })
      const code = done.location && new URL(done.location).searchParams.get('code')
      if (!code) throw new Error(`${done.status} ${done.words.slice(0, 300)}`)
      const form = { grant_type: 'authorization_code', code, code_verifier: verifier }
      const { status, json } = await token({ ...form, redirect_uri: CALLBACK })
      if (status !== 200) throw new Error(`${status} ${json.error_description}`)
      return { access: json.access_token as string, refresh: json.refresh_token as string }
    }
  }
}

/** Sends a message to an endpoint with an access token, and returns the response. */
export async function send(
  url: string,
  token: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

/** The parameters of a client's `initialize` request. */
export const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a client', version: '1' },
}
