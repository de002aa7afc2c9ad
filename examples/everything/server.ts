// A server with one of every feature.
import { durableChanges, type ObjectNamespace, type Server, worker } from 'tidegate/mcp'
import { changeTools } from './changes.ts'
import { prompts } from './prompts.ts'
import { questionTools } from './questions.ts'
import { resources } from './resources.ts'
import { taskTools } from './tasks.ts'
import { tools } from './tools.ts'

let made: Server | undefined

/**
 * The server, with the names that the official conformance suite expects (`@modelcontextprotocol/conformance`). This
 * one value serves both eras of the protocol.
 */
export function serverIn({ SESSIONS }: { readonly SESSIONS: ObjectNamespace }): Server {
  if (made) return made
  // Sends notifications of changes to the subscribed clients, in all isolates.
  const changes = durableChanges(() => SESSIONS)
  made = {
    name: 'everything',
    version: '1.0.0',
    title: 'Everything',
    instructions: 'Each tool shows one part of the protocol.',
    tools: [...tools, ...questionTools, ...changeTools(changes), ...taskTools],
    resources,
    prompts,
    logs: true,
    changes,
  }
  return made
}

const mcp = worker(serverIn)
export const { McpSession } = mcp
export default mcp
