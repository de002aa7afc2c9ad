// A task is a tool call that outlives its request. While nothing runs, it can be evicted from memory. It then
// continues from its stored state.
import { type Caller, type Context, contextOf } from '../features/context.ts'
import { type InputRequest, InputRequired, MAX_ROUNDS } from '../features/input.ts'
import type { Server } from '../features/server.ts'
import { callTool } from '../features/tool.ts'
import { Stop } from '../wire/deadline.ts'
import { asRpcError, codes, RpcError, type RpcParams, write } from '../wire/jsonrpc.ts'
import { revisionOf } from '../wire/revisions.ts'
import { keepText, keptText, type StateHost, type Storage } from './storage.ts'
import { isOver, type TaskCall, type TaskLimits, type TaskOrder, type TaskStatus } from './tasks.ts'

/** A task's environment. */
export interface TaskHost extends StateHost<TaskLimits> {
  /** Sends the task's state to its followers. */
  tell(task: RpcParams): void
}

/** Dependencies of a running task. */
export interface Runner {
  server(): Server
  readonly caller: Caller | undefined
  readonly store: Context['store']
}

/** The part of a task that clients see in every state. */
interface TaskFields extends TaskLimits {
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
}

/** The call that a task runs, and its questions to the client. */
interface SavedCall extends TaskCall {
  readonly round: number
  /** The open questions. No id is used twice in a task (SEP-2663). */
  readonly asked: readonly {
    readonly id: string
    readonly key: string
    readonly request: InputRequest
  }[]
}

const STATE = 'task'
const CALL = 'call:'
const OUTCOME = 'outcome:'

/** True if this storage holds a task. */
export const isTask = (storage: Pick<Storage, 'get'>): boolean => storage.get(STATE) !== undefined

/** A Durable Object without requests is evicted after 70 seconds, even while it is working. */
const HEARTBEAT_MS = 30_000

export class Task {
  readonly #host: TaskHost
  #saved: TaskFields | undefined
  #running: Stop | undefined
  #toldAt = 0

  constructor(host: TaskHost) {
    this.#host = host
    this.#saved = host.storage.get(STATE)
    // The work was lost with the memory.
    if (this.#saved?.status === 'working') {
      const lost = 'The server stopped during this task: call the tool again.'
      this.#end('failed', new RpcError(codes.internal, lost))
    }
  }

  /** The task's state, or undefined if there is no task or it has expired. */
  get state(): RpcParams | undefined {
    const saved = this.#saved
    if (!saved || this.#isOver) return undefined
    if (saved.status === 'input_required') {
      const open = this.#call.asked.map(({ id, request }) => [id, request])
      return { ...saved, inputRequests: Object.fromEntries(open) }
    }
    const outcome = keptText(this.#host.storage, OUTCOME)
    return { ...saved, ...(outcome && JSON.parse(outcome)) }
  }

  /** Carries out an order and returns the task's state. */
  take(order: TaskOrder, runner: Runner): RpcParams | undefined {
    if (order.to === 'begin') this.#begin(order.call, runner)
    else if (this.#isOver) return undefined
    else if (order.to === 'update') this.#update(order.responses, runner)
    else if (order.to === 'cancel') this.#cancel()
    return this.state
  }

  /** Runs at the time that `wakeAt` set. Ends the task, or sets the next time. */
  async wake(): Promise<void> {
    if (!this.#isOver) return this.#host.wakeAt(this.#wakesAt)
    this.#running?.stop()
    this.#saved = undefined
    await this.#host.clear()
  }

  get #isOver(): boolean {
    return !this.#saved || endOf(this.#saved) <= Date.now()
  }

  #begin(call: TaskCall, runner: Runner): void {
    const server = runner.server()
    const createdAt = new Date().toISOString()
    const { ttlMs, pollIntervalMs } = this.#host.limits
    const times = { createdAt, lastUpdatedAt: createdAt, ttlMs, pollIntervalMs }
    this.#call = { ...call, round: 0, asked: [] }
    this.#save({ status: 'working', ...times })
    void this.#run(server, runner)
  }

  #update(responses: RpcParams, runner: Runner): void {
    if (this.#saved?.status !== 'input_required') return
    const call = this.#call
    const asked = call.asked.filter(({ id }) => !Object.hasOwn(responses, id))
    if (asked.length === call.asked.length) return
    const given = call.asked.filter((it) => !asked.includes(it))
    const answers = Object.fromEntries(given.map(({ id, key }) => [key, responses[id]]))
    const answered = asked.length === 0 && runner.server()
    this.#call = { ...call, asked, answers: { ...call.answers, ...answers } }
    this.#change({ status: answered ? 'working' : 'input_required' })
    if (answered) void this.#run(answered, runner)
  }

  #cancel(): void {
    if (isOver(this.#saved!.status)) return
    this.#running?.stop()
    this.#end('cancelled')
  }

  async #run(server: Server, runner: Runner): Promise<void> {
    const call = this.#call
    const stop = new Stop()
    this.#running = stop
    try {
      const context = this.#context(call, runner, stop)
      const result = await callTool(server.tools ?? [], call.params, context)
      if (stop.stopped) return
      if (result instanceof InputRequired) this.#ask(call, result)
      else this.#end('completed', result)
    } catch (thrown) {
      const error = asRpcError(thrown)
      if (!stop.stopped) this.#end('failed', error)
    }
  }

  #context(call: SavedCall, { caller, store }: Runner, stop: Stop): Context {
    const { id, version, client, answers } = call
    const facts = { id, revision: revisionOf(version)!, client, caller, answers }
    return {
      ...contextOf({ ...facts, streams: false, notify() {} }, { stop, store }, {}),
      progress: (done, total, message) => {
        if (stop.stopped || this.#saved?.status !== 'working') return
        this.#report(message ?? (total ? `${done} of ${total}` : `${done}`))
      },
    }
  }

  /** Reports progress. Kept only in memory, like the work itself. */
  #report(statusMessage: string): void {
    this.#saved = { ...this.#saved!, statusMessage, lastUpdatedAt: new Date().toISOString() }
    if (Date.now() - this.#toldAt >= this.#saved.pollIntervalMs) this.#tell()
  }

  /** Stores the call until the client has answered. */
  #ask(call: SavedCall, { requests }: InputRequired): void {
    if (call.round === MAX_ROUNDS)
      throw new RpcError(codes.internal, 'The tool asked the client too many times.')
    const round = call.round + 1
    const asked = Object.entries(requests).map(([key, request]) => ({
      id: `${round}-${key}`,
      key,
      request,
    }))
    this.#call = { ...call, round, asked }
    this.#change({ status: 'input_required' })
  }

  #end(status: 'completed' | 'failed' | 'cancelled', outcome?: RpcParams | RpcError): void {
    const failed = outcome instanceof RpcError
    const { storage } = this.#host
    if (failed) {
      const { code, message, data } = outcome
      keepText(storage, OUTCOME, JSON.stringify({ error: { code, message, data } }))
    } else if (outcome) {
      keepText(storage, OUTCOME, `{"result":${write({ resultType: 'complete', ...outcome })}}`)
    }
    keepText(storage, CALL, '')
    this.#change({ status, ...(failed && { statusMessage: outcome.message }) })
  }

  #change(changes: Pick<TaskFields, 'status' | 'statusMessage'>): void {
    const { statusMessage, ...saved } = this.#saved!
    this.#save({ ...saved, ...changes, lastUpdatedAt: new Date().toISOString() })
  }

  #save(saved: TaskFields): void {
    this.#saved = saved
    this.#host.storage.put(STATE, saved)
    this.#host.wakeAt(this.#wakesAt)
    this.#tell()
  }

  #tell(): void {
    this.#toldAt = Date.now()
    const { state } = this
    if (state) this.#host.tell(state)
  }

  get #call(): SavedCall {
    return JSON.parse(keptText(this.#host.storage, CALL)) as SavedCall
  }

  set #call(call: SavedCall) {
    keepText(this.#host.storage, CALL, JSON.stringify(call))
  }

  get #wakesAt(): number {
    const end = endOf(this.#saved!)
    return this.#saved!.status === 'working' ? Math.min(Date.now() + HEARTBEAT_MS, end) : end
  }
}

const endOf = ({ createdAt, ttlMs }: TaskFields) => Date.parse(createdAt) + ttlMs
