// Tidegate's protocol core under Hono, with its durable sessions.
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import {
  durableSessions,
  serve,
  sessionObject,
  sharedSeal,
  ToolResult,
  tool,
} from '../../src/mcp/index.ts'
import { more, rowsText, says } from './canned.mjs'

const server = {
  name: 'bench',
  version: '1.0.0',
  tools: [
    tool({
      name: 'echo',
      description: says.echo,
      input: z.object({ text: z.string() }),
      run: ({ text }) => text,
    }),
    tool({
      name: 'add',
      description: says.add,
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => String(a + b),
    }),
    tool({ name: 'rows', description: says.rows, input: z.object({}), run: () => rowsText }),
    ...more.map((name) =>
      tool({
        name,
        description: `The tool ${name}`,
        input: z.object({ id: z.string(), limit: z.optional(z.int()), mode: z.enum(['a', 'b']) }),
        run: () => new ToolResult([{ type: 'text', text: 'ok' }]),
      }),
    ),
  ],
}

let seal
let sessions

export const McpSession = sessionObject({
  server: () => server,
  seal: ({ SESSIONS }) => (seal ??= sharedSeal(SESSIONS)),
  namespace: ({ SESSIONS }) => SESSIONS,
})

export default new Hono().all('/mcp', (c) => {
  const { SESSIONS } = c.env
  seal ??= sharedSeal(SESSIONS)
  sessions ??= durableSessions(SESSIONS, seal)
  return serve(c.req.raw, { server, sessions, seal })
})
