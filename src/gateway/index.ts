import { version } from '../ground/index.ts'
import type { Changes, Server } from '../mcp/index.ts'
import { type ResultStorage, resultsOf } from './answer/kept-results.ts'
import { resultResources } from './answer/result-resource.ts'
import { aroundCalls, type CallHooks } from './calls.ts'
import type { Endpoint } from './config/endpoint.ts'
import { instructions } from './instructions.ts'
import { assertEstimates } from './open/cost-limit.ts'
import type { CredentialIo } from './open/endpoint-database.ts'
import { type GroupRules, restrict } from './open/group-rules.ts'
import { locateAll } from './open/pipeline.ts'
import { promptOf } from './prompts/database-prompt.ts'
import { prompts } from './prompts/prompts.ts'
import { schemaChanges } from './schema/schema-changes.ts'
import { schemaResources } from './schema/schema-resource.ts'
import type { DatabaseTool } from './tools/database-tool.ts'
import { describeTable } from './tools/describe-table.ts'
import { explainQuery } from './tools/explain-query.ts'
import { icons } from './tools/icon.ts'
import { listTables } from './tools/list-tables.ts'
import { query } from './tools/query.ts'
import { queryTable } from './tools/query-table.ts'
import { searchSources, searchTools } from './tools/search-fetch.ts'
import { toolsOf } from './tools/tool-set.ts'
import type { QuestionStates } from './tools/verified-question.ts'

/** Every built-in tool, in the order clients see them. */
const tools: readonly DatabaseTool[] = [listTables, describeTable, queryTable, query, explainQuery]

const builtIn = tools.map(({ name }) => name)

/** The options that a deployment passes to a gateway. */
interface ServingOptions {
  /** The store for large answers. Without it, they are only cut. */
  readonly keeping?: ResultStorage | undefined
  /** Announces schema changes to clients, if set. Groups that see different tables need one each. */
  readonly carrier?: Changes | undefined
  /** The origin of this deployment: `https://tidegate.example.com`. */
  readonly origin?: string | undefined
  /** Hooks that limit and record the calls. */
  readonly calls?: CallHooks | undefined
  /** The last known states of the verified questions. */
  readonly questions?: QuestionStates | undefined
  /** The group that is served. */
  readonly group?: string | undefined
  readonly rules?: GroupRules | undefined
}

/** The databases of one endpoint as an MCP server. Throws {@link ConfigError}. */
export function gateway(
  configured: Endpoint,
  io: CredentialIo,
  { keeping, carrier, origin = '', calls, questions, group, rules }: ServingOptions = {},
): Server {
  const allowed = rules ? restricted(configured, rules) : configured
  const restriction = rules && JSON.stringify([group, rules])
  const results =
    keeping && allowed.keep ? resultsOf(allowed.name, keeping, restriction) : undefined
  const databases = locateAll(allowed, io)
  assertEstimates(allowed, databases)
  const sql = allowed.sql && [...databases.values()].some(({ takesSql }) => takesSql !== false)
  const endpoint = { ...allowed, sql }
  // Lists cover all databases. One that cannot be opened would make them fail for the others.
  const available = new Map([...databases].filter(([, it]) => it.problem === undefined))
  const databaseTools = toolsOf(tools, endpoint, databases, results, questions)
  const names = databaseTools.filter(({ unlisted }) => !unlisted).map(({ name }) => name)
  // If the tools that browse are turned off, so are the resources.
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
    version,
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

/** The same changes, plus changes to the list of tools: a question that does not work is not listed as a tool. */
const withTools = (changes: Changes | undefined): Changes | undefined =>
  changes && { ...changes, lists: [...(changes.lists ?? []), 'tools' as const] }

/**
 * The endpoint as a group sees it: anything its rules do not allow does not exist. Throws
 * {@link ConfigError} if they name a tool or a database that the endpoint does not have.
 */
export const restricted = (endpoint: Endpoint, rules: GroupRules): Endpoint =>
  restrict(endpoint, rules, builtIn)

/**
 * Reports on a group's rules, as messages for the operator: the tools that the group does not have, with the reason,
 * and the names in the rules that do not exist. Throws {@link ConfigError}.
 */
export const reportGroup = async (
  endpoint: Endpoint,
  rules: GroupRules,
  io: CredentialIo,
): Promise<readonly string[]> =>
  (await import('./open/group-report.ts')).reportGroup(endpoint, rules, io, builtIn)

export { KEPT_MS } from './answer/kept-results.ts'
export type { CallHooks, EndpointCall, RanStatement } from './calls.ts'
export { fieldFaults } from './config/config-fault.ts'
export type { ConfiguredLimits, Endpoint, Settings } from './config/endpoint.ts'
export { ConfigError, isDemo, readEndpoints } from './config/endpoint.ts'
export { endpointSchema, isName } from './config/endpoint-schema.ts'
export { jsonFault } from './config/json-fault.ts'
export {
  boundedQuestions,
  questionFields,
  questionSignature,
  type VerifiedQuestion,
} from './config/verified-question-config.ts'
export type { Diagnosis } from './diagnose/diagnosis.ts'
export type { DiagnosisStage } from './diagnose/stage.ts'
export type { CredentialIo, StoredUrl } from './open/endpoint-database.ts'
export { type GroupRules, groupRules } from './open/group-rules.ts'
export type { QuestionLook } from './questions/question-look.ts'
export type { SchemaQuestion, SchemaView } from './schema/schema-view.ts'
export type { Preview, PreviewAsked } from './tools/preview.ts'
export { MAX_ID_CHARS, NO_RECORD } from './tools/search-fetch.ts'
export type { Document } from './tools/search-rows.ts'
export { assertCustomTools } from './tools/tool-set.ts'
export type { QuestionStates } from './tools/verified-question.ts'

/** Loads the code that inspects the databases of endpoints and reports on them. */
export const diagnosis = () => import('./diagnose/diagnosis.ts')

/** Loads the code that previews what a model gets from an endpoint. */
export const previewing = () => import('./tools/preview.ts')

/** Loads the code that checks databases stage by stage. */
export const stagedDiagnosis = () => import('./diagnose/staged-diagnosis.ts')

/** Loads the code that shows a schema to the operator. */
export const schemaViews = () => import('./schema/schema-view.ts')
/** Loads the code that checks verified questions. Only endpoints with verified questions need it. */
export const questionWatch = async () => ({
  ...(await import('./questions/question-look.ts')),
  ...(await import('./questions/question-watch.ts')),
})
