// The extension `io.modelcontextprotocol/tasks` (SEP-2663): a call returns a task, whose status the client then polls.
// The methods are here. The task itself is in `task.ts`.
import type { Client, Context } from '../features/context.ts'
import { InputRequired } from '../features/input.ts'
import type { Server } from '../features/server.ts'
import { runTool } from '../features/tool.ts'
import {
  codes,
  invalidParams,
  isObject,
  RpcError,
  type RpcId,
  type RpcParams,
} from '../wire/jsonrpc.ts'
import type { Seal } from './seal.ts'
import { type IdHolder, signedIds } from './signed-ids.ts'

const EXTENSION = 'io.modelcontextprotocol/tasks'

/** Bounds on one task. */
export interface TaskLimits {
  /** Milliseconds from the start of a task to its end, when it is also deleted. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

export const taskLimits: TaskLimits = { ttlMs: 60 * 60_000, pollIntervalMs: 1_000 }

/** A `tools/call` as a task stores it. */
export interface TaskCall {
  readonly id: RpcId
  readonly params: RpcParams
  readonly version: string
  readonly client: Client
  readonly answers: RpcParams
}

/** The status of a task. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export const isOver = (status: unknown): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** An order to a task. */
export type TaskOrder =
  | { readonly to: 'begin'; readonly call: TaskCall }
  | { readonly to: 'get' | 'cancel' }
  | { readonly to: 'update'; readonly responses: RpcParams }

/** Access to tasks. */
export interface Tasks {
  /** Begins a task, and returns its description once it is stored and running. */
  begin(call: TaskCall, asker: IdHolder): Promise<RpcParams>
  /** Sends an order to a task. Undefined if this caller has no task with this id. */
  ask(id: string, order: TaskOrder, asker: IdHolder): Promise<RpcParams | undefined>
  /** Sends a task's state to a client, now and after each change, until `signal` aborts. */
  follow(
    id: string,
    asker: IdHolder,
    listener: (task: RpcParams) => void,
    signal: AbortSignal,
  ): Promise<void>
}

/** Runs and stores tasks by name, for any caller. */
export interface TaskBackend {
  send(name: string, order: TaskOrder, asker: IdHolder): Promise<RpcParams | undefined>
  follow(name: string, listener: (task: RpcParams) => void, signal: AbortSignal): Promise<void>
}

/** Tasks found by name. The id that a client holds is the signed name. */
export function signedTasks(seal: Seal, backend: TaskBackend): Tasks {
  const ids = signedIds(seal, 'task')
  return {
    async begin(call, asker) {
      const { name, id } = await ids.make(asker)
      const task = await backend.send(name, { to: 'begin', call }, asker)
      return { ...task, taskId: id }
    },
    async ask(id, order, asker) {
      const name = await ids.read(id, asker)
      return name === undefined ? undefined : backend.send(name, order, asker)
    },
    async follow(id, asker, listener, signal) {
      const name = await ids.read(id, asker)
      const named = (task: RpcParams) => listener({ ...task, taskId: id })
      if (name !== undefined) await backend.follow(name, named, signal)
    },
  }
}

/** The capability that a server with tasks declares. */
export const tasksOffered = ({ tools }: Server): object | undefined =>
  tools?.some(({ task }) => task) ? { extensions: { [EXTENSION]: {} } } : undefined

/** A request to a server that may have tasks. */
type Asking = IdHolder & { readonly tasks?: Tasks | undefined }

/** The way to run a tool on a server that may have tasks: right away, or in a new task. */
export function runOrBegin(params: RpcParams, asking: Asking): typeof runTool {
  const { tasks } = asking
  if (!tasks) return runTool
  return async (it, input, context) => {
    if (!it.task || context.revision.era === 'legacy') return runTool(it, input, context)
    if (!declares(context)) {
      if (it.task === 'required') throw undeclared(`The tool ${it.name} runs only as a task.`)
      return runTool(it, input, context)
    }
    const asked = await it.ask?.(input, context)
    if (asked instanceof InputRequired) return asked
    const { id, revision, client, answers } = context
    const { name, arguments: given } = params
    const call = { id, params: { name, arguments: given }, version: revision.version }
    const task = await tasks.begin({ ...call, client, answers }, asking)
    return { ...task, resultType: 'task' }
  }
}

/** A method of the extension, which sends an order to the task that `params` names. */
export const askTask =
  (to: 'get' | 'update' | 'cancel') =>
  async (_: Server, params: RpcParams, context: Context, asking: Asking): Promise<RpcParams> => {
    const { tasks } = asking
    if (!tasks) throw new RpcError(codes.methodNotFound, 'This server has no tasks.')
    if (!declares(context)) throw undeclared('This method is for tasks.')
    const { taskId, inputResponses: responses } = params
    if (to === 'update' && !isObject(responses))
      throw invalidParams('inputResponses must be an object of answers by key.')
    const order = to === 'update' ? { to, responses: responses as RpcParams } : { to }
    const found = typeof taskId === 'string' && (await tasks.ask(taskId, order, asking))
    if (!found) {
      const none = 'There is no such task. It may have expired, or belong to another caller.'
      throw invalidParams(none)
    }
    return to === 'get' ? { ...found, taskId } : {}
  }

/** Maximum number of tasks that one subscription can follow. */
const MAX_FOLLOWED_TASKS = 100

/** The caller's tasks that a subscription lists, or undefined if it lists no tasks. */
export async function followed(notifications: unknown, context: Context, asking: Asking) {
  const named = isObject(notifications) ? notifications.taskIds : undefined
  const { tasks } = asking
  if (!tasks || !Array.isArray(named)) return undefined
  if (!declares(context)) throw undeclared('This subscription names tasks.')
  const ids: string[] = []
  for (const id of new Set(named.slice(0, MAX_FOLLOWED_TASKS))) {
    if (typeof id === 'string' && (await tasks.ask(id, { to: 'get' }, asking))) ids.push(id)
  }
  return {
    ids,
    async follow(listener: (task: RpcParams) => void): Promise<void> {
      for (const id of ids) await tasks.follow(id, asking, listener, context.signal)
    },
  }
}

/** True if the client supports tasks, which it declares in each request. */
function declares({ client }: Context): boolean {
  const { extensions } = client.capabilities
  return isObject(extensions) && isObject(extensions[EXTENSION])
}

const undeclared = (why: string) =>
  new RpcError(codes.missingCapability, `${why} It needs a client that supports ${EXTENSION}.`, {
    requiredCapabilities: { extensions: { [EXTENSION]: {} } },
  })
