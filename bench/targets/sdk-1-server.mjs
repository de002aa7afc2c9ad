import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { rowsText, says, text } from './canned.mjs'

const schemas = {
  echo: { text: z.string() },
  add: { a: z.number(), b: z.number() },
  rows: {},
}

/** The server of the official SDK, version 1. */
export function build() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  const add = (name, run) =>
    server.registerTool(name, { description: says[name], inputSchema: schemas[name] }, run)
  add('echo', async ({ text: it }) => text(it))
  add('add', async ({ a, b }) => text(String(a + b)))
  add('rows', async () => text(rowsText))
  return server
}
