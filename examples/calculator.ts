// A complete MCP server: npx wrangler dev examples/calculator.ts --config examples/wrangler.toml
import * as z from 'zod'
import { ToolError, tool, worker } from '../src/mcp/index.ts'

const numbers = z.object({ a: z.number(), b: z.number() })

const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const add = tool({
  name: 'add',
  title: 'Add',
  description: 'Add two numbers.',
  input: numbers,
  output: z.object({ sum: z.number() }),
  annotations: readsOnly,
  run: ({ a, b }) => ({ sum: a + b }),
})

const divide = tool({
  name: 'divide',
  title: 'Divide',
  description: 'Divide a by b.',
  input: numbers,
  output: z.object({ quotient: z.number() }),
  annotations: readsOnly,
  run({ a, b }) {
    if (b === 0) throw new ToolError('b must not be zero.')
    return { quotient: a / b }
  },
})

const server = { name: 'calculator', version: '1.0.0', tools: [add, divide] }

const mcp = worker(() => server)
export const { McpSession } = mcp
export default mcp
