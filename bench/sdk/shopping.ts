// The server of docs/mcp.md with the official SDK. The list is in the same Durable Object.
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { type Env, list } from './list.ts'

export { ShoppingList } from './list.ts'

const uri = 'shopping://list'
const item = z.string().min(1).max(100)
const inputSchema = z.object({ item })
const nothing = z.object({})
const form = z.object({ remove: z.boolean() })
const second = () => new Promise((done) => setTimeout(done, 1000))
const text = (it: string) => ({ content: [{ type: 'text' as const, text: it }] })

export function build(env: Env, changed: () => void): McpServer {
  const server = new McpServer(
    { name: 'shopping', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true } } },
  )
  server.registerTool(
    'add_item',
    { description: 'Put something on the shopping list.', inputSchema },
    async ({ item }) => {
      const structuredContent = { items: await list(env, { add: item }) }
      changed()
      return { ...text(JSON.stringify(structuredContent)), structuredContent }
    },
  )
  server.registerTool(
    'remove_item',
    {
      description: 'Take something off the shopping list, if the person agrees.',
      inputSchema,
    },
    async ({ item }, { mcpReq }) => {
      if (!(await list(env)).includes(item)) throw new Error(`The list has no ${item}.`)
      if (inputResponse(mcpReq.inputResponses, 'remove').kind === 'missing') {
        const message = `Take ${item} off the list?`
        const remove = inputRequired.elicit({ message, requestedSchema: form })
        return inputRequired({ inputRequests: { remove } })
      }
      if (!acceptedContent(mcpReq.inputResponses, 'remove', form)?.remove)
        return text('The person wants to keep it.')
      await list(env, { remove: item })
      changed()
      return text(`${item} is off the list.`)
    },
  )
  server.registerTool(
    'wait_until_bought',
    { description: 'Wait until nothing is left on the shopping list.', inputSchema: nothing },
    async (_, { mcpReq }) => {
      while ((await list(env)).length > 0) {
        await second()
        if (mcpReq.signal.aborted) return text('It was stopped.')
      }
      return text('All is bought.')
    },
  )
  server.registerResource(
    'list',
    uri,
    { description: 'The shopping list, an item a line.' },
    async () => ({ contents: [{ uri, text: (await list(env)).join('\n') }] }),
  )
  return server
}

let handler: ReturnType<typeof createMcpHandler> | undefined

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    handler ??= createMcpHandler(() => build(env, () => handler?.notify.resourceUpdated(uri)))
    return handler.fetch(request)
  },
}
