// The floor with Hono, which most targets use.
import { Hono } from 'hono'
import { answer } from './canned.mjs'

export default new Hono().post('/mcp', async (c) => {
  const message = await c.req.json()
  return message.id === undefined ? c.body(null, 202) : c.json(answer(message))
})
