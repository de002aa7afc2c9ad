import { filterOf, notificationOf, wants } from './changes.ts'
import { type Context, contextOf, type Facts, logLevelOf } from './context.ts'
import { within } from './deadline.ts'
import type { InputRequired } from './input.ts'
import {
  codes,
  isObject,
  RpcError,
  type RpcNotification,
  type RpcParams,
  write,
} from './jsonrpc.ts'
import { completePrompt, describePrompt, getPrompt } from './prompt.ts'
import { completeTemplate, describeResource, isTemplate, readResource } from './resource.ts'
import { existsIn, negotiate, type Revision, type Span, versions } from './revisions.ts'
import { capabilities, identity, type Server } from './server.ts'
import type { Serving } from './serving.ts'
import { openStore } from './stores.ts'
import { askTask, followed, runOrBegin, tasksOffered } from './tasks.ts'
import { callTool, describeTool } from './tool.ts'

export type Result = RpcParams | InputRequired

/** One method of the protocol: when it exists, what it does, and how long its result keeps. */
interface Method extends Span {
  call(
    server: Server,
    params: RpcParams,
    context: Context,
    serving: Serving,
  ): Result | Promise<Result>
  /** Milliseconds a client may keep the result (specification, "Caching"). */
  readonly ttlMs?: number
  /** The result depends on the server and the revision alone, so it is written out once. */
  readonly fixed?: boolean
  /** It lasts until the client ends it. */
  readonly lasts?: boolean
}

const MINUTE = 60_000
const listed = { ttlMs: 5 * MINUTE, fixed: true }

/** The protocol, one row a method. */
const methods: Readonly<Record<string, Method>> = {
  initialize: { call: initialize, until: '2025-11-25' },
  ping: { call: () => ({}), until: '2025-11-25' },
  'server/discover': {
    call: discover,
    since: '2026-07-28',
    ttlMs: 60 * MINUTE,
    fixed: true,
  },
  'tools/list': {
    call: listOf('tools', ({ tools }) => tools, describeTool),
    ...listed,
  },
  'tools/call': {
    call: ({ tools = [] }, params, context, serving) =>
      callTool(tools, params, context, runOrBegin(params, serving)),
  },
  'resources/list': {
    call: listOf('resources', direct, describeResource),
    ...listed,
  },
  'resources/templates/list': {
    call: listOf('resourceTemplates', templates, describeResource),
    ...listed,
  },
  'resources/read': {
    call: ({ resources = [] }, params, context) => readResource(resources, params, context),
    ttlMs: 0,
  },
  'prompts/list': {
    call: listOf('prompts', ({ prompts }) => prompts, describePrompt),
    ...listed,
  },
  'prompts/get': {
    call: ({ prompts = [] }, params, context) => getPrompt(prompts, params, context),
  },
  'completion/complete': { call: complete },
  'logging/setLevel': { call: setLevel, until: '2025-11-25' },
  'subscriptions/listen': { call: listen, since: '2026-07-28', lasts: true },
  'tasks/get': { call: askTask('get'), since: '2026-07-28' },
  'tasks/update': { call: askTask('update'), since: '2026-07-28' },
  'tasks/cancel': { call: askTask('cancel'), since: '2026-07-28' },
}

/** What the era adds to every result, given how long this one keeps. */
export type Completion = (
  result: Result,
  ttlMs: number | undefined,
) => RpcParams | Promise<RpcParams>

/** Calls a method of the revision spoken and writes its result as JSON. */
export async function dispatch(
  serving: Serving,
  { method: name, params = {} }: RpcNotification,
  facts: Omit<Facts, 'store'>,
  completed: Completion,
): Promise<string> {
  const { server, tasks, callMs } = serving
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (!method || !existsIn(method, facts.revision)) {
    throw new RpcError(
      codes.methodNotFound,
      `There is no method ${JSON.stringify(name.slice(0, 80))} here.`,
    )
  }
  const run = async (signal: AbortSignal) => {
    const store = (handle?: string) => openStore(handle, serving)
    const context = contextOf({ ...facts, signal, store }, params)
    return write(await completed(await method.call(server, params, context, serving), method.ttlMs))
  }
  if (method.lasts) return run(facts.signal)
  if (!method.fixed || params.cursor !== undefined) return within(callMs, facts.signal, run)

  const written = writtenFor(server)
  const key = `${facts.revision.version} ${name} ${tasks ? 'tasks' : ''}`
  const text = written.get(key) ?? (await run(facts.signal))
  written.set(key, text)
  return text
}

function initialize(server: Server, params: RpcParams): RpcParams {
  if (typeof params.protocolVersion !== 'string') {
    throw new RpcError(
      codes.invalidParams,
      'initialize needs a protocolVersion, such as "2025-11-25".',
    )
  }
  const revision = negotiate(params.protocolVersion)
  return {
    protocolVersion: revision.version,
    capabilities: capabilities(server),
    serverInfo: identity(server, revision),
    instructions: server.instructions,
  }
}

function discover(server: Server, _: RpcParams, __: Context, { tasks }: Serving): RpcParams {
  return {
    supportedVersions: versions(),
    capabilities: { ...capabilities(server), ...(tasks && tasksOffered(server)) },
    instructions: server.instructions,
  }
}

function direct({ resources }: Server) {
  return resources?.filter((it) => !isTemplate(it))
}

function templates({ resources }: Server) {
  return resources?.filter(isTemplate)
}

/** Items of one page. */
const PAGE = 100

/** A list method: what it lists, how one item is shown, page by page with a sealed cursor. */
function listOf<Item>(
  field: string,
  items: (server: Server) => readonly Item[] | undefined,
  describe: (item: Item, revision: Revision) => object,
): Method['call'] {
  return async (server, { cursor }, { revision }, { seal }) => {
    const all = items(server) ?? []
    const from =
      cursor === undefined || cursor === null ? 0 : await seal.open(String(cursor), field)
    if (typeof from !== 'number') {
      throw new RpcError(
        codes.invalidParams,
        'This cursor is none of ours: list from the beginning.',
      )
    }
    const end = from + PAGE
    return {
      [field]: all.slice(from, end).map((it) => describe(it, revision)),
      nextCursor: end < all.length ? await seal.seal(end, field) : undefined,
    }
  }
}

function complete(server: Server, { ref, argument, context: given }: RpcParams, context: Context) {
  if (
    !isObject(ref) ||
    !isObject(argument) ||
    typeof argument.name !== 'string' ||
    typeof argument.value !== 'string'
  ) {
    throw new RpcError(
      codes.invalidParams,
      'completion/complete needs a ref, and an argument with name and value.',
    )
  }
  const asked = { name: argument.name, value: argument.value }
  const others = (isObject(given) && isObject(given.arguments) ? given.arguments : {}) as Record<
    string,
    string
  >
  if (ref.type === 'ref/prompt')
    return completePrompt(server.prompts ?? [], ref.name, asked, others, context)
  if (ref.type === 'ref/resource')
    return completeTemplate(server.resources ?? [], ref.uri, asked, others, context)
  throw new RpcError(codes.invalidParams, 'A ref is of type ref/prompt or ref/resource.')
}

/** Without a session there is nowhere to remember a level, and nothing is ever sent. */
function setLevel(_: Server, { level }: RpcParams): RpcParams {
  if (!logLevelOf(level)) throw new RpcError(codes.invalidParams, 'There is no such log level.')
  return {}
}

/** A subscription is a call that has not returned yet. */
async function listen(
  { changes }: Server,
  { notifications }: RpcParams,
  context: Context,
  serving: Serving,
): Promise<RpcParams> {
  const { id, notify, signal, streams } = context
  if (!streams) throw new RpcError(codes.invalidRequest, 'To listen, accept text/event-stream.')
  const tasks = await followed(notifications, context, serving)
  if (!changes && !tasks)
    throw new RpcError(codes.methodNotFound, 'This server announces no changes.')
  const filter = changes ? filterOf(notifications) : {}
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  let acknowledged = false
  await changes?.listen((change) => {
    if (!acknowledged || !wants(filter, change)) return
    const { method, params } = notificationOf(change)
    notify(method, { ...params, _meta })
  }, signal)
  const agreed = { ...filter, taskIds: tasks?.ids }
  notify('notifications/subscriptions/acknowledged', { notifications: agreed, _meta })
  acknowledged = true
  await tasks?.follow((task) => notify('notifications/tasks', { ...task, _meta }))
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return { _meta }
}

const writing = new WeakMap<Server, Map<string, string>>()

function writtenFor(server: Server): Map<string, string> {
  let written = writing.get(server)
  if (!written) {
    written = new Map()
    writing.set(server, written)
  }
  return written
}
