// The floor for a session that outlives its isolate: a Worker that forwards the request to a Durable
// Object.
import { answer } from './canned.mjs'

export class Session {
  async fetch(request) {
    const message = await request.json()
    if (message.id === undefined) return new Response(null, { status: 202 })
    return new Response(JSON.stringify(answer(message)), {
      headers: { 'content-type': 'application/json' },
    })
  }
}

export default {
  async fetch(request, { SESSIONS }) {
    const name = request.headers.get('mcp-session-id') ?? crypto.randomUUID()
    const response = await SESSIONS.get(SESSIONS.idFromName(name)).fetch(request)
    const named = new Response(response.body, response)
    named.headers.set('mcp-session-id', name)
    return named
  },
}
