import { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { more, rowsText, says, text } from './canned.mjs'

const schemas = {
  echo: z.object({ text: z.string() }),
  add: z.object({ a: z.number(), b: z.number() }),
  rows: z.object({}),
}
const further = more.map((name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: z.object({
    id: z.string(),
    limit: z.number().int().optional(),
    mode: z.enum(['a', 'b']),
  }),
}))

/** The server of the official SDK, version 2, and of the libraries that use it. */
export function build() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  register(server)
  return server
}

export function register(server) {
  const add = (name, run) =>
    server.registerTool(name, { description: says[name], inputSchema: schemas[name] }, run)
  add('echo', async ({ text: it }) => text(it))
  add('add', async ({ a, b }) => text(String(a + b)))
  add('rows', async () => text(rowsText))
  for (const { name, ...rest } of further) server.registerTool(name, rest, async () => text('ok'))
}
