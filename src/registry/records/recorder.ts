import type { Endpoint } from '../../gateway/index.ts'
import { inTime, pause, steadyNow } from '../../ground/index.ts'
import { Background, type Ending, SENDS_EVERY_MS } from '../background.ts'
import type { EndedCall, FinishedCall } from './finished-call.ts'
import type { CallRecords } from './object.ts'
import { idAt, SHARDS, shardName } from './record.ts'

/** Maximum number of records that can wait in an isolate, and of characters in their statements. Any more are lost. */
const MAX_WAITING = 2_000
const MAX_WAITING_CHARS = 8_000_000

/** Maximum number of records in one request to an object. */
const MAX_BATCH = 200

/** Maximum number of attempts to send a batch, the first pause between them, and the time limit for a shard. */
const MAX_TRIES = 4
const FIRST_PAUSE_MS = 200
const WRITE_MS = 5_000

/** Calls that are waiting to be recorded for one endpoint. */
interface Queue {
  endpoint: Endpoint
  readonly waiting: FinishedCall[]
  /** The batch being sent. It stays until it is stored, and the next run sends it again. */
  sending: { calls: readonly FinishedCall[]; lost: number; tries: number } | undefined
  lost: number
  /** Time when a batch was last sent. */
  sentAt: number
}

/** Writes an isolate's records to the objects that store them, after the responses. */
export class Recorder {
  readonly #namespace: DurableObjectNamespace<CallRecords>
  readonly #background: Background
  readonly #ending: Ending | undefined
  readonly #queues = new Map<string, Queue>()
  readonly #shard = Math.floor(Math.random() * SHARDS)
  readonly #isolate = crypto.randomUUID().slice(0, 8)
  #sequence = 0
  #waiting = 0
  #chars = 0

  constructor(
    namespace: DurableObjectNamespace<CallRecords>,
    waitUntil: (work: Promise<unknown>) => void,
    ending?: Ending,
  ) {
    this.#namespace = namespace
    this.#ending = ending
    this.#background = new Background(() => this.#flush(), waitUntil, ending?.soon)
    ending?.now.addEventListener('abort', () => this.#tellLost())
  }

  /** Records a call. */
  add(endpoint: Endpoint, call: EndedCall): void {
    const queue = this.#queueOf(endpoint)
    const last = queue.waiting.at(-1)
    if (last && isSameRefusal(last, call)) last.calls = (last.calls ?? 1) + 1
    else this.#enqueue(queue, call)
    this.#background.wake()
  }

  #enqueue(queue: Queue, call: EndedCall): void {
    const chars = charsOf(call)
    if (this.#waiting >= MAX_WAITING || this.#chars + chars > MAX_WAITING_CHARS) {
      queue.lost++
      return
    }
    const sequence = (this.#sequence++).toString(36).padStart(6, '0')
    // It waits for its batch, and the endpoint can change meanwhile.
    const { records } = queue.endpoint
    const keepsLiterals = records !== false && records.literals
    queue.waiting.push({
      ...call,
      keepsLiterals,
      id: `${idAt(call.time)}${sequence}${this.#isolate}`,
    })
    this.#waiting++
    this.#chars += chars
  }

  #queueOf(endpoint: Endpoint): Queue {
    const known = this.#queues.get(endpoint.name)
    const queue = known ?? { endpoint, waiting: [], sending: undefined, lost: 0, sentAt: 0 }
    queue.endpoint = endpoint
    this.#queues.set(endpoint.name, queue)
    return queue
  }

  /** Sends one batch for each endpoint that is due. */
  async #flush(): Promise<boolean> {
    const queues = [...this.#queues.values()]
    await Promise.all(queues.filter((it) => this.#isDue(it)).map((it) => this.#send(it)))
    for (const it of queues) {
      const isIdle = it.waiting.length === 0 && !it.sending && it.lost === 0
      if (isIdle && isQuiet(it)) this.#queues.delete(it.endpoint.name)
    }
    return queues.some((it) => it.waiting.length > 0 || it.sending)
  }

  #isDue(queue: Queue): boolean {
    if (queue.sending) return true
    if (queue.waiting.length === 0 && queue.lost === 0) return false
    const isFull = 2 * this.#waiting > MAX_WAITING || 2 * this.#chars > MAX_WAITING_CHARS
    if (this.#ending?.soon.aborted) return true
    return isFull || queue.waiting.length >= MAX_BATCH || isQuiet(queue)
  }

  async #send(queue: Queue): Promise<unknown> {
    const { endpoint } = queue
    const { records } = endpoint
    queue.sending ??= this.#next(queue)
    const { sending } = queue
    if (!records) return this.#done(queue, sending)
    sending.tries++
    queue.sentAt = steadyNow()
    try {
      const { recordsOf } = await import('./writing.ts')
      const written = await recordsOf(endpoint, sending.calls)
      const name = shardName(endpoint.name, this.#shard)
      const object = this.#namespace.get(this.#namespace.idFromName(name))
      const batch = { records: written, lost: sending.lost, retention: records }
      await inTime(WRITE_MS, object.write(batch))
      this.#done(queue, sending)
    } catch (error) {
      if (queue.sending !== sending) return
      // An object that restarts will soon answer again.
      if (sending.tries < MAX_TRIES) return pause(FIRST_PAUSE_MS * 4 ** (sending.tries - 1))
      this.#done(queue, sending)
      queue.lost += sending.calls.length + sending.lost
      console.error(`Records of endpoint ${endpoint.name} are lost: ${queue.lost}.`, error)
    }
  }

  /** Logs the number of records lost at the end of the process. */
  #tellLost(): void {
    for (const { endpoint, waiting, sending, lost } of this.#queues.values()) {
      const left = [...waiting, ...(sending?.calls ?? [])]
      const calls = left.reduce((sum, it) => sum + (it.calls ?? 1), lost + (sending?.lost ?? 0))
      if (calls > 0)
        console.error(`Records of endpoint ${endpoint.name} are lost at the end: ${calls}.`)
    }
  }

  #next(queue: Queue): NonNullable<Queue['sending']> {
    const calls = queue.waiting.splice(0, MAX_BATCH)
    const { lost } = queue
    queue.lost = 0
    return { calls, lost, tries: 0 }
  }

  #done(queue: Queue, sending: NonNullable<Queue['sending']>): void {
    if (queue.sending !== sending) return
    queue.sending = undefined
    this.#waiting -= sending.calls.length
    for (const call of sending.calls) this.#chars -= charsOf(call)
  }
}

/** True if nothing was sent for a while. */
const isQuiet = ({ sentAt }: Queue) => steadyNow() - sentAt >= SENDS_EVERY_MS

/** True if a refused request without a tool repeats the last refusal. A flood of them becomes one record. */
const isSameRefusal = (last: FinishedCall, call: EndedCall) =>
  call.tool === undefined &&
  last.tool === undefined &&
  last.caller === call.caller &&
  last.code === call.code

const charsOf = ({ statements }: Pick<FinishedCall, 'statements'>) =>
  statements.reduce((sum, { statement }) => sum + statement.sql.length, 0)
