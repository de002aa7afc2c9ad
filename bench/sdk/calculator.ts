// examples/calculator with the official SDK, as in its pages on tools, resources and completion.
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import * as z from 'zod'

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const inputSchema = z.object({ a: z.number(), b: z.number() })
const outputSchema = z.object({ result: z.number() })

/** The people who are welcomed. A real server would query its database. */
const users: Readonly<Record<string, string>> = {
  ada: 'Ada Lovelace',
  alan: 'Alan Turing',
  grace: 'Grace Hopper',
}

export function build(): McpServer {
  const server = new McpServer({ name: 'calculator', version: '1.0.0' })
  const operation = (name: string, description: string, of: (a: number, b: number) => number) =>
    server.registerTool(
      name,
      { description, inputSchema, outputSchema, annotations },
      async ({ a, b }) => {
        const result = of(a, b)
        if (!Number.isFinite(result))
          throw new Error('The result is not a number, or is larger than 1.8e308.')
        const structuredContent = { result }
        return {
          content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
          structuredContent,
        }
      },
    )
  operation('add', 'Add a and b.', (a, b) => a + b)
  operation('subtract', 'Subtract b from a.', (a, b) => a - b)
  operation('multiply', 'Multiply a by b.', (a, b) => a * b)
  operation('divide', 'Divide a by b.', (a, b) => {
    if (b === 0) throw new Error('b must not be zero.')
    return a / b
  })
  server.registerResource(
    'welcome',
    new ResourceTemplate('welcome://{userId}', {
      list: undefined,
      complete: { userId: (begun) => Object.keys(users).filter((id) => id.startsWith(begun)) },
    }),
    { title: 'Welcome', description: 'A welcome for a user.', mimeType: 'text/plain' },
    async (uri, { userId }) => {
      if (!Object.hasOwn(users, String(userId))) throw new Error('There is no such user.')
      const text = `Welcome, ${users[String(userId)]}! Ask for a sum, a difference, a product or a quotient.`
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
    },
  )
  return server
}

export default createMcpHandler(build)
