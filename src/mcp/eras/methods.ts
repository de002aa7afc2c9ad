import {
  type Context,
  contextOf,
  type Facts,
  logLevelOf,
  NO_LOG_LEVEL,
} from '../features/context.ts'
import { InputRequired } from '../features/input.ts'
import { completePrompt, describePrompt, getPrompt } from '../features/prompt.ts'
import { completeTemplate, describeResource, readResource } from '../features/resource.ts'
import { capabilities, identity, type Server } from '../features/server.ts'
import { callTool, describeTool, justRun, shown } from '../features/tool.ts'
import { openStore } from '../state/stores.ts'
import { askTask, runOrBegin, tasksOffered } from '../state/tasks.ts'
import { type Stop, within } from '../wire/deadline.ts'
import {
  codes,
  invalidParams,
  isObject,
  RpcError,
  type RpcNotification,
  type RpcParams,
} from '../wire/jsonrpc.ts'
import { exceededArgumentBound, MAX_SHORT_CHARS } from '../wire/limits.ts'
import { existsIn, negotiate, type Span, versions } from '../wire/revisions.ts'
import type { Exchange } from './exchange.ts'
import { arrayPart, listOf, resourceParts, templateParts } from './lists.ts'
import { writeResult } from './result.ts'
import { listen } from './subscription.ts'

type MethodResult = RpcParams | InputRequired

/** A protocol method: when it exists, what it does, and how long clients can cache its result. */
interface McpMethod extends Span {
  call(
    server: Server,
    params: RpcParams,
    context: Context,
    exchange: Exchange,
  ): MethodResult | Promise<MethodResult>
  /** Milliseconds for which a client can cache the result (specification, "Caching"). */
  readonly ttlMs?: number
  /** True if the result depends only on the server and the revision. Such a result is serialized once. */
  readonly cacheable?: (server: Server) => boolean
  /** True if the method runs until the client ends it. */
  readonly longRunning?: boolean
}

const MINUTE_MS = 60_000
const always = () => true

/** Lists do not change as long as the server does not. */
const listCaching = { ttlMs: 5 * MINUTE_MS, cacheable: always }

/** The methods of the protocol. */
const methods: Readonly<Record<string, McpMethod>> = {
  initialize: { call: initialize, until: '2025-11-25' },
  ping: { call: () => ({}), until: '2025-11-25' },
  'server/discover': {
    call: discover,
    since: '2026-07-28',
    ttlMs: 60 * MINUTE_MS,
    cacheable: always,
  },
  'tools/list': {
    call: listOf('tools', ({ tools = [] }) => [arrayPart(shown(tools))], describeTool),
    ...listCaching,
  },
  'tools/call': {
    call: ({ tools = [], around }, params, context, exchange) =>
      callTool(tools, params, context, runOrBegin(params, exchange), around),
  },
  'resources/list': {
    call: listOf('resources', resourceParts, describeResource),
    ...listCaching,
    cacheable: ({ resources = [] }) => !resources.some(({ list }) => list),
  },
  'resources/templates/list': {
    call: listOf('resourceTemplates', templateParts, describeResource),
    ...listCaching,
  },
  'resources/read': {
    call: ({ resources = [], around = justRun }, params, context) =>
      around({ method: 'resources/read' }, context, (own = context) =>
        readResource(resources, params, own),
      ),
    ttlMs: 0,
  },
  'prompts/list': {
    call: listOf('prompts', ({ prompts }) => [arrayPart(prompts)], describePrompt),
    ...listCaching,
  },
  'prompts/get': {
    call: ({ prompts = [] }, params, context) => getPrompt(prompts, params, context),
  },
  'completion/complete': { call: complete },
  'logging/setLevel': { call: setLevel, until: '2025-11-25' },
  'subscriptions/listen': { call: listen, since: '2026-07-28', longRunning: true },
  'tasks/get': { call: askTask('get'), since: '2026-07-28' },
  'tasks/update': { call: askTask('update'), since: '2026-07-28' },
  'tasks/cancel': { call: askTask('cancel'), since: '2026-07-28' },
}

/** Calls a method from the client's revision. Returns the result as JSON, or questions for the client. */
export async function dispatch(
  exchange: Exchange,
  { method: name, params = {} }: RpcNotification,
  facts: Omit<Facts, 'store'>,
): Promise<string | InputRequired> {
  const { server, tasks, callMs, request } = exchange
  const { revision } = facts
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (!method || !existsIn(method, revision)) {
    throw new RpcError(
      codes.methodNotFound,
      `There is no method ${JSON.stringify(name.slice(0, 80))} here.`,
    )
  }
  const run = async (stop: Stop) => {
    const store = (handle?: string) => openStore(handle, exchange)
    const context = contextOf(facts, { stop, store, request }, params)
    const result = await method.call(server, params, context, exchange)
    if (result instanceof InputRequired) return result
    return writeResult(result, { server, revision, method: name, ttlMs: method.ttlMs })
  }
  if (method.longRunning) return run(facts.stop)
  if (!method.cacheable?.(server) || params.cursor !== undefined)
    return within(callMs, facts.stop, run)

  const texts = writtenResultsOf(server)
  const key = `${revision.version} ${name} ${tasks ? 'tasks' : ''}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = await run(facts.stop)
  if (typeof text === 'string') texts.set(key, text)
  return text
}

function initialize(server: Server, params: RpcParams): RpcParams {
  if (typeof params.protocolVersion !== 'string') {
    throw invalidParams('initialize needs a protocolVersion, such as "2025-11-25".')
  }
  const revision = negotiate(params.protocolVersion)
  return {
    protocolVersion: revision.version,
    capabilities: capabilities(server),
    serverInfo: identity(server, revision),
    instructions: server.instructions,
  }
}

function discover(server: Server, _: RpcParams, __: Context, { tasks }: Exchange): RpcParams {
  return {
    supportedVersions: versions(),
    capabilities: { ...capabilities(server), ...(tasks && tasksOffered(server)) },
    instructions: server.instructions,
  }
}

function complete(server: Server, { ref, argument, context: given }: RpcParams, context: Context) {
  if (
    !isObject(ref) ||
    !isObject(argument) ||
    typeof argument.name !== 'string' ||
    typeof argument.value !== 'string'
  ) {
    throw invalidParams('completion/complete needs a ref, and an argument with name and value.')
  }
  const asked = { name: argument.name, value: argument.value }
  const others = isObject(given) && isObject(given.arguments) ? given.arguments : {}
  if (!isTexts(others)) {
    throw invalidParams('The arguments in context must be strings.')
  }
  const exceeded = Object.values(asked).some((it) => it.length > MAX_SHORT_CHARS)
    ? `An argument to complete can have at most ${MAX_SHORT_CHARS} characters.`
    : exceededArgumentBound(others)
  if (exceeded) throw invalidParams(exceeded)
  if (ref.type === 'ref/prompt')
    return completePrompt(server.prompts ?? [], ref.name, asked, others, context)
  if (ref.type === 'ref/resource')
    return completeTemplate(server.resources ?? [], ref.uri, asked, others, context)
  throw invalidParams('The type of a ref must be ref/prompt or ref/resource.')
}

const isTexts = (value: RpcParams): value is Record<string, string> =>
  Object.values(value).every((it) => typeof it === 'string')

/** Without a session the level cannot be stored, and no message is sent. */
function setLevel(_: Server, { level }: RpcParams): RpcParams {
  if (!logLevelOf(level)) throw invalidParams(NO_LOG_LEVEL)
  return {}
}

const writtenResults = new WeakMap<Server, Map<string, string>>()

function writtenResultsOf(server: Server): Map<string, string> {
  let texts = writtenResults.get(server)
  if (!texts) {
    texts = new Map()
    writtenResults.set(server, texts)
  }
  return texts
}
