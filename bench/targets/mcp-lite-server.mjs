import { McpServer } from 'mcp-lite'
import * as z from 'zod'
import { more, rowsText, says, text } from './canned.mjs'

export function build() {
  const server = new McpServer({
    name: 'bench',
    version: '1.0.0',
    schemaAdapter: (schema) => z.toJSONSchema(schema),
  })
  const add = (name, inputSchema, handler, description = says[name]) =>
    server.tool(name, { description, inputSchema, handler })
  add('echo', z.object({ text: z.string() }), ({ text: it }) => text(it))
  add('add', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => text(String(a + b)))
  add('rows', z.object({}), () => text(rowsText))
  const schema = z.object({
    id: z.string(),
    limit: z.number().int().optional(),
    mode: z.enum(['a', 'b']),
  })
  for (const name of more) add(name, schema, () => text('ok'), `The tool ${name}`)
  return server
}
