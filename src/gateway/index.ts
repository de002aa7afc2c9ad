import { type Database, DatabaseError, type Io, open } from '../database/index.ts'
import type { Server } from '../mcp/index.ts'
import type { DatabaseTool } from './database-tool.ts'
import { ConfigError, type Endpoint, resolveUrl } from './endpoint.ts'
import { instructions } from './instructions.ts'
import { describeTable } from './tools/describe-table.ts'
import { listTables } from './tools/list-tables.ts'
import { query } from './tools/query.ts'
import { queryTable } from './tools/query-table.ts'

/** Every tool, one line each, in the order clients see them. */
const tools: readonly DatabaseTool[] = [listTables, describeTable, queryTable, query]

/** The databases of one endpoint as an MCP server. Throws {@link ConfigError}. */
export function gateway(endpoint: Endpoint, io: Io): Server {
  const databases = new Map<string, Database>()
  for (const [name, { url }] of Object.entries(endpoint.databases)) {
    databases.set(name, opened(resolveUrl(url, io.bindings), io))
  }
  const unknown = endpoint.tools?.find((name) => !tools.some((it) => it.name === name))
  if (unknown !== undefined) {
    const names = tools.map((it) => it.name).join(', ')
    throw new ConfigError(
      `Endpoint ${endpoint.name} names a tool ${JSON.stringify(unknown)}. There are: ${names}.`,
    )
  }
  const offered = tools.filter(({ name }) => endpoint.tools?.includes(name) ?? true)
  return {
    name: 'tidegate',
    title: endpoint.title,
    version: '0.1.0',
    instructions: instructions(endpoint, databases),
    tools: offered.map((it) => it.of(endpoint, databases)),
  }
}

export type { Endpoint, Settings } from './endpoint.ts'

function opened(url: string, io: Io): Database {
  try {
    return open(url, io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

export { ConfigError, isDemo, readEndpoints } from './endpoint.ts'
