import type { Server } from '../../src/mcp/index.ts'
import { changes, changeTools } from './changes.ts'
import { prompts } from './prompts.ts'
import { questionTools } from './questions.ts'
import { resources } from './resources.ts'
import { taskTools } from './tasks.ts'
import { tools } from './tools.ts'

/**
 * One of everything a server can offer, under the names that the official referee asks for
 * (`@modelcontextprotocol/conformance`). Both eras of the protocol are served by this one value.
 */
export const server: Server = {
  name: 'tidegate-conformance',
  version: '1.0.0',
  title: 'Conformance fixture',
  instructions: 'Each tool shows one part of the protocol.',
  tools: [...tools, ...questionTools, ...changeTools, ...taskTools],
  resources,
  prompts,
  logs: true,
  changes,
}
