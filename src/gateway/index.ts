import type { Changes, Server } from '../mcp/index.ts'
import { aroundCalls, type Calls } from './calls.ts'
import { assertEstimates } from './cost-limit.ts'
import { type DatabasePrompt, promptOf } from './database-prompt.ts'
import type { DatabaseTool } from './database-tool.ts'
import type { Endpoint } from './endpoint.ts'
import { type GroupRules, restrict } from './group-rules.ts'
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
import type { QuestionStates } from './verified-question.ts'

/** Every tool, one line each, in the order clients see them. */
const tools: readonly DatabaseTool[] = [listTables, describeTable, queryTable, query, explainQuery]

const builtIn = tools.map(({ name }) => name)

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
  /**
   * Carries changes of schemas to clients. Without it, no change is announced. Groups that see different
   * tables need one each: what changes for one has not changed for another.
   */
  readonly carrier?: Changes | undefined
  /** The origin of this deployment: `https://tidegate.example.com`. */
  readonly origin?: string | undefined
  /** Bounds and records the calls. */
  readonly calls?: Calls | undefined
  /** Which verified questions work, as far as somebody looks. */
  readonly questions?: QuestionStates | undefined
  /** The group that is served, and what it may use. */
  readonly group?: string | undefined
  readonly rules?: GroupRules | undefined
}

/** The databases of one endpoint as an MCP server. Throws {@link ConfigError}. */
export function gateway(
  configured: Endpoint,
  io: GatewayIo,
  { keeping, carrier, origin = '', calls, questions, group, rules }: GatewayOptions = {},
): Server {
  const allowed = rules ? restricted(configured, rules) : configured
  const restriction = rules && JSON.stringify([group, rules])
  const results =
    keeping && allowed.keep ? resultsOf(allowed.name, keeping, restriction) : undefined
  const databases = locateAll(allowed, io)
  assertEstimates(allowed, databases)
  const sql = allowed.sql && [...databases.values()].some(({ takesSql }) => takesSql !== false)
  const endpoint = { ...allowed, sql }
  for (const [name, database] of databases) {
    const { only } = endpoint.databases[name]!
    // Those who see all of it have its role inspected.
    if (database.problem !== undefined || only) continue
    const label = `Endpoint ${endpoint.name}, database ${name}`
    const config = endpoint.databases[name]!
    databases.set(name, withRoleWarning(database, config, label, io))
  }
  // Lists cover all databases. One that cannot be opened would make them fail for the others.
  const available = new Map([...databases].filter(([, it]) => it.problem === undefined))
  const databaseTools = toolsOf(tools, endpoint, databases, results, questions)
  const names = databaseTools.filter(({ unlisted }) => !unlisted).map(({ name }) => name)
  // If the tools that browse are turned off, the resources are, too.
  const browses = names.includes('list_tables') && names.includes('describe_table')
  const schema = browses && carrier ? schemaChanges(endpoint, available, carrier) : undefined
  const changes = endpoint.questions ? withTools(schema ?? carrier) : schema
  const resources = [
    ...(browses ? schemaResources(endpoint, available, schema) : []),
    ...(results ? resultResources(endpoint, results) : []),
  ]
  return {
    name: 'tidegate',
    title: endpoint.title,
    version: '0.1.0',
    icons,
    instructions: instructions(endpoint, databases),
    tools: endpoint.search
      ? [
          ...databaseTools,
          ...searchTools(searchSources(endpoint, databases, origin)).filter(
            ({ name }) => !rules?.tools || rules.tools.includes(name),
          ),
        ]
      : databaseTools,
    ...(resources.length > 0 && { resources }),
    prompts: prompts.flatMap((it) => promptOf(it, names, databases, endpoint.caps) ?? []),
    ...(changes && { changes }),
    ...(calls && { around: aroundCalls(endpoint, calls) }),
  }
}

/** The same changes, among which are those of the tools: a question that does not work is none. */
const withTools = (changes: Changes | undefined): Changes | undefined =>
  changes && { ...changes, lists: [...(changes.lists ?? []), 'tools' as const] }

/**
 * The endpoint as it is for a group: what its rules do not allow does not exist. Throws
 * {@link ConfigError} if they name a tool or a database that the endpoint does not have.
 */
export const restricted = (endpoint: Endpoint, rules: GroupRules): Endpoint =>
  restrict(endpoint, rules, builtIn)

/**
 * What an operator should know about the rules of a group, as sentences: which tools it does not have and
 * why, and which names in the rules do not exist. Throws {@link ConfigError}.
 */
export const reportGroup = async (
  endpoint: Endpoint,
  rules: GroupRules,
  io: CredentialIo,
): Promise<readonly string[]> =>
  (await import('./group-report.ts')).reportGroup(endpoint, rules, io, builtIn)

export type { Call, Calls, RanStatement } from './calls.ts'
export { fieldFaults } from './config-fault.ts'
export type { Diagnosis } from './diagnosis.ts'
export type { Endpoint, Limits, Settings } from './endpoint.ts'
export { ConfigError, endpointSchema, isDemo, isName, readEndpoints } from './endpoint.ts'
export { type GroupRules, groupRules } from './group-rules.ts'
export { jsonFault } from './json-fault.ts'
export { KEPT_MS } from './kept-results.ts'
export type { StoredUrl } from './open-database.ts'
export type { Preview, PreviewAsked } from './preview.ts'
export type { QuestionLook } from './question-look.ts'
export type { SchemaQuestion, SchemaView } from './schema-view.ts'
export { type Document, readDocument } from './search-fetch.ts'
export type { Stage } from './staged-diagnosis.ts'
export { assertCustomTools } from './tool-set.ts'
export type { QuestionStates } from './verified-question.ts'
export {
  boundedQuestions,
  questionFields,
  questionSignature,
  type VerifiedQuestion,
} from './verified-question-config.ts'

/** Loads the code that inspects the databases of endpoints and reports on them. */
export const diagnosis = () => import('./diagnosis.ts')

/** Loads the code that tells what a model gets of an endpoint. */
export const previewing = () => import('./preview.ts')

/** Loads the code that looks at databases stage by stage. */
export const stagedDiagnosis = () => import('./staged-diagnosis.ts')

/** Loads the code that shows a schema to the operator. */
export const schemaViews = () => import('./schema-view.ts')
/** Loads the code that looks whether verified questions work, which only endpoints that have any need. */
export const questionWatch = async () => ({
  ...(await import('./question-look.ts')),
  ...(await import('./question-watch.ts')),
})
