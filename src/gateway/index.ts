import type { Changes, Server } from '../mcp/index.ts'
import { aroundCalls, type Calls } from './calls.ts'
import { type DatabasePrompt, promptOf } from './database-prompt.ts'
import type { DatabaseTool } from './database-tool.ts'
import type { Endpoint } from './endpoint.ts'
import { icons } from './icon.ts'
import { instructions } from './instructions.ts'
import { type ResultStorage, resultsOf } from './kept-results.ts'
import { type CredentialIo, locateAll } from './open-database.ts'
import { answerQuestion } from './prompts/answer-question.ts'
import { documentSchema } from './prompts/document-schema.ts'
import { explainSlowQuery } from './prompts/explain-slow-query.ts'
import { explore } from './prompts/explore.ts'
import { profileTable } from './prompts/profile-table.ts'
import { resultResources } from './result-resource.ts'
import { withRoleWarning } from './role-warning.ts'
import { schemaChanges } from './schema-changes.ts'
import { schemaResources } from './schema-resource.ts'
import { searchSources, searchTools } from './search-fetch.ts'
import { toolsOf } from './tool-set.ts'
import { describeTable } from './tools/describe-table.ts'
import { explainQuery } from './tools/explain-query.ts'
import { listTables } from './tools/list-tables.ts'
import { query } from './tools/query.ts'
import { queryTable } from './tools/query-table.ts'

/** Every tool, one line each, in the order clients see them. */
const tools: readonly DatabaseTool[] = [listTables, describeTable, queryTable, query, explainQuery]

/** Every prompt, one line each, in the order of the menu. */
const prompts: readonly DatabasePrompt[] = [
  explore,
  answerQuestion,
  profileTable,
  explainSlowQuery,
  documentSchema,
]

/** What a gateway needs from the outside world. */
export interface GatewayIo extends CredentialIo {
  /** Lets work go on after its request was answered. */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** What a deployment gives a gateway. */
export interface GatewayOptions {
  /** Where large answers are kept. Without it they are only cut. */
  readonly keeping?: ResultStorage | undefined
  /** Carries changes of schemas to clients. Without it, no change is announced. */
  readonly carrier?: Changes | undefined
  /** The origin of this deployment: `https://tidegate.example.com`. */
  readonly origin?: string | undefined
  /** Bounds and records the calls. */
  readonly calls?: Calls | undefined
}

/** The databases of one endpoint as an MCP server. Throws {@link ConfigError}. */
export function gateway(
  endpoint: Endpoint,
  io: GatewayIo,
  { keeping, carrier, origin = '', calls }: GatewayOptions = {},
): Server {
  const results = keeping && endpoint.keep ? resultsOf(endpoint.name, keeping) : undefined
  const databases = locateAll(endpoint, io)
  for (const [name, database] of databases) {
    if (database.problem !== undefined) continue
    const label = `Endpoint ${endpoint.name}, database ${name}`
    const config = endpoint.databases[name]!
    databases.set(name, withRoleWarning(database, config, label, io.waitUntil))
  }
  // Lists cover all databases. One that cannot be opened would make them fail for the others.
  const available = new Map([...databases].filter(([, it]) => it.problem === undefined))
  const databaseTools = toolsOf(tools, endpoint, databases, results)
  const names = databaseTools.filter(({ unlisted }) => !unlisted).map(({ name }) => name)
  // If the tools that browse are turned off, the resources are, too.
  const browses = names.includes('list_tables') && names.includes('describe_table')
  const changes = browses && carrier ? schemaChanges(endpoint, available, carrier) : undefined
  const resources = [
    ...(browses ? schemaResources(endpoint, available, changes) : []),
    ...(results ? resultResources(endpoint, results) : []),
  ]
  return {
    name: 'tidegate',
    title: endpoint.title,
    version: '0.1.0',
    icons,
    instructions: instructions(endpoint, databases),
    tools: endpoint.search
      ? [...databaseTools, ...searchTools(searchSources(endpoint, databases, origin))]
      : databaseTools,
    ...(resources.length > 0 && { resources }),
    prompts: prompts.flatMap((it) => promptOf(it, names, databases, endpoint.caps) ?? []),
    ...(changes && { changes }),
    ...(calls && { around: aroundCalls(endpoint, calls) }),
  }
}

export type { Call, Calls, RanStatement } from './calls.ts'
export { fieldFaults } from './config-fault.ts'
export type { Diagnosis } from './diagnosis.ts'
export type { Endpoint, Limits, Settings } from './endpoint.ts'
export { ConfigError, endpointSchema, isDemo, readEndpoints } from './endpoint.ts'
export type { GroupRules } from './group-rules.ts'
export { jsonFault } from './json-fault.ts'
export { KEPT_MS } from './kept-results.ts'
export type { StoredUrl } from './open-database.ts'
export { type Document, readDocument } from './search-fetch.ts'
export { assertCustomTools } from './tool-set.ts'

/** Loads the code that inspects the databases of endpoints and reports on them. */
export const diagnosis = () => import('./diagnosis.ts')
