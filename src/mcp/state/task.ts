/**
 * A task: a tool call that outlasts its request, from its beginning to its time to live. It may be
 * evicted from memory whenever nothing runs, and goes on from what it stored.
 *
 * @module
 */

import { type Caller, type Context, contextOf } from '../features/context.ts'
import { type InputRequest, InputRequired } from '../features/input.ts'
import type { Server } from '../features/server.ts'
import { callTool } from '../features/tool.ts'
import { Stop } from '../wire/deadline.ts'
import { asRpcError, codes, RpcError, type RpcParams, write } from '../wire/jsonrpc.ts'
import { revisionOf } from '../wire/revisions.ts'
import { keepText, keptText, type Storage } from './storage.ts'
import { isOver, type Order, type TaskCall, type TaskStatus } from './tasks.ts'

/** Bounds on one task. */
export interface TaskLimits {
  /** So long after its beginning, a task ends and is forgotten. */
  readonly ttlMs: number
  /** How often a client should look in on it. */
  readonly pollIntervalMs: number
}

export const taskLimits: TaskLimits = { ttlMs: 60 * 60_000, pollIntervalMs: 1_000 }

/** What a task needs of the place it lives in. */
export interface TaskHome {
  readonly storage: Storage
  readonly limits: TaskLimits
  /** Tells those who follow the task how it is. */
  tell(task: RpcParams): void
  /** Has {@link Task.wake} called at this time, and at none named before. */
  wakeAt(time: number): void
  /** Forgets everything, the time to wake included. */
  clear(): Promise<void>
}

/** Who has a task run, and with what. */
export interface Runner {
  server(): Server
  readonly caller: Caller | undefined
  readonly store: Context['store']
}

/** What a client sees of a task in every state. */
interface Saved extends TaskLimits {
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
}

/** The call a task is made of, and what it asks of the client. */
interface Call extends TaskCall {
  readonly round: number
  /** The questions not answered yet. Each has an id that no other of this task has (SEP-2663). */
  readonly asked: readonly {
    readonly id: string
    readonly key: string
    readonly request: InputRequest
  }[]
}

const STATE = 'task'
const CALL = 'call:'
const OUTCOME = 'outcome:'

/** Whether what is stored here is a task. */
export const isTask = (storage: Pick<Storage, 'get'>): boolean => storage.get(STATE) !== undefined

/** A tool may ask this often before it counts as stuck. */
const MAX_ROUNDS = 8

/** A Durable Object that nobody speaks to is evicted after 70 seconds, whatever it is working on. */
const HEARTBEAT_MS = 30_000

export class Task {
  readonly #home: TaskHome
  #saved: Saved | undefined
  #running: Stop | undefined
  #toldAt = 0

  constructor(home: TaskHome) {
    this.#home = home
    this.#saved = home.storage.get(STATE)
    // Whoever was working on it is gone with the memory.
    if (this.#saved?.status === 'working') {
      const lost = 'The server stopped in the middle of this task: call the tool again.'
      this.#end('failed', new RpcError(codes.internal, lost))
    }
  }

  /** How the task is. Undefined if it is not, or no more. */
  get state(): RpcParams | undefined {
    const saved = this.#saved
    if (!saved || this.#isOver) return undefined
    if (saved.status === 'input_required') {
      const open = this.#call.asked.map(({ id, request }) => [id, request])
      return { ...saved, inputRequests: Object.fromEntries(open) }
    }
    const outcome = keptText(this.#home.storage, OUTCOME)
    return { ...saved, ...(outcome && JSON.parse(outcome)) }
  }

  /** Does what is asked, and gives back how the task is then. */
  take(order: Order, runner: Runner): RpcParams | undefined {
    if (order.to === 'begin') this.#begin(order.call, runner)
    else if (this.#isOver) return undefined
    else if (order.to === 'update') this.#update(order.responses, runner)
    else if (order.to === 'cancel') this.#cancel()
    return this.state
  }

  /** At the time that `wakeAt` named: ends the task, or sees to it that it is woken again. */
  async wake(): Promise<void> {
    if (!this.#isOver) return this.#home.wakeAt(this.#wakesAt)
    this.#running?.stop()
    this.#saved = undefined
    await this.#home.clear()
  }

  get #isOver(): boolean {
    return !this.#saved || endOf(this.#saved) <= Date.now()
  }

  #begin(call: TaskCall, runner: Runner): void {
    const server = runner.server()
    const createdAt = new Date().toISOString()
    const { ttlMs, pollIntervalMs } = this.#home.limits
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

  #context(call: Call, { caller, store }: Runner, stop: Stop): Context {
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

  /** Says how far the work is. In memory alone, since the work is, too. */
  #report(statusMessage: string): void {
    this.#saved = { ...this.#saved!, statusMessage, lastUpdatedAt: new Date().toISOString() }
    if (Date.now() - this.#toldAt >= this.#saved.pollIntervalMs) this.#tell()
  }

  /** Puts the call away until the client has answered. */
  #ask(call: Call, { requests }: InputRequired): void {
    if (call.round === MAX_ROUNDS) throw new RpcError(codes.internal, 'This asked too often.')
    const round = call.round + 1
    const asked = Object.entries(requests).map(([key, request]) => ({
      ...{ id: `${round}-${key}`, key, request },
    }))
    this.#call = { ...call, round, asked }
    this.#change({ status: 'input_required' })
  }

  #end(status: 'completed' | 'failed' | 'cancelled', outcome?: RpcParams | RpcError): void {
    const failed = outcome instanceof RpcError
    const { storage } = this.#home
    if (failed) {
      const { code, message, data } = outcome
      keepText(storage, OUTCOME, JSON.stringify({ error: { code, message, data } }))
    } else if (outcome) {
      keepText(storage, OUTCOME, `{"result":${write({ resultType: 'complete', ...outcome })}}`)
    }
    keepText(storage, CALL, '')
    this.#change({ status, ...(failed && { statusMessage: outcome.message }) })
  }

  #change(changes: Pick<Saved, 'status' | 'statusMessage'>): void {
    const { statusMessage, ...saved } = this.#saved!
    this.#save({ ...saved, ...changes, lastUpdatedAt: new Date().toISOString() })
  }

  #save(saved: Saved): void {
    this.#saved = saved
    this.#home.storage.put(STATE, saved)
    this.#home.wakeAt(this.#wakesAt)
    this.#tell()
  }

  #tell(): void {
    this.#toldAt = Date.now()
    const { state } = this
    if (state) this.#home.tell(state)
  }

  get #call(): Call {
    return JSON.parse(keptText(this.#home.storage, CALL)) as Call
  }

  set #call(call: Call) {
    keepText(this.#home.storage, CALL, JSON.stringify(call))
  }

  get #wakesAt(): number {
    const end = endOf(this.#saved!)
    return this.#saved!.status === 'working' ? Math.min(Date.now() + HEARTBEAT_MS, end) : end
  }
}

const endOf = ({ createdAt, ttlMs }: Saved) => Date.parse(createdAt) + ttlMs
