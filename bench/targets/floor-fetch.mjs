// The floor: a bare fetch handler that parses, answers and checks nothing.
import { answer } from './canned.mjs'

export default {
  async fetch(request) {
    const message = await request.json()
    if (message.id === undefined) return new Response(null, { status: 202 })
    return new Response(JSON.stringify(answer(message)), {
      headers: { 'content-type': 'application/json' },
    })
  },
}
