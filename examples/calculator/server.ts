// A calculator that welcomes its users.
import { type Resource, type Server, ToolError, tool, worker } from 'tidegate/mcp'
import * as z from 'zod'

const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const numbers = z.object({ a: z.number(), b: z.number() })

/** A tool that calculates with two numbers. */
function operation(name: string, description: string, of: (a: number, b: number) => number) {
  return tool({
    name,
    description,
    input: numbers,
    output: z.object({ result: z.number() }),
    annotations: readsOnly,
    run({ a, b }) {
      const result = of(a, b)
      if (Number.isFinite(result)) return { result }
      // The model reads this error, and can correct its call.
      throw new ToolError('The result is not a number, or is larger than 1.8e308.')
    },
  })
}

const divide = operation('divide', 'Divide a by b.', (a, b) => {
  if (b === 0) throw new ToolError('b must not be zero.')
  return a / b
})

/** The users who are welcomed. A real server would query its database. */
const users: Readonly<Record<string, string>> = {
  ada: 'Ada Lovelace',
  alan: 'Alan Turing',
  grace: 'Grace Hopper',
}

const welcome: Resource = {
  uri: 'welcome://{userId}',
  name: 'welcome',
  title: 'Welcome',
  description: 'A welcome for a user.',
  mimeType: 'text/plain',
  complete: { userId: (begun) => Object.keys(users).filter((id) => id.startsWith(begun)) },
  read({ userId = '' }) {
    // Without a text, the client gets an error: there is no such resource.
    if (!Object.hasOwn(users, userId)) return undefined
    return `Welcome, ${users[userId]}! Ask for a sum, a difference, a product or a quotient.`
  },
}

export const server: Server = {
  name: 'calculator',
  version: '1.0.0',
  tools: [
    operation('add', 'Add a and b.', (a, b) => a + b),
    operation('subtract', 'Subtract b from a.', (a, b) => a - b),
    operation('multiply', 'Multiply a by b.', (a, b) => a * b),
    divide,
  ],
  resources: [welcome],
}

const mcp = worker(() => server)
export const { McpSession } = mcp
export default mcp
