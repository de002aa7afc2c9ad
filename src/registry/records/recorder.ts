import type { Endpoint } from '../../gateway/index.ts'
import { Background, inTime, pause, SENDS_EVERY_MS } from '../background.ts'
import type { FinishedCall } from './finished-call.ts'
import type { CallRecords } from './object.ts'
import { type Batch, idAt, SHARDS, shardName } from './record.ts'

/** Records that wait in an isolate, and characters of their statements. What is more is lost. */
const MAX_WAITING = 2_000
const MAX_WAITING_CHARS = 8_000_000

/** Records of one request to an object. */
const MAX_BATCH = 200

/** How often a batch is sent, and how long a shard may take for it. */
const MAX_TRIES = 4
const FIRST_PAUSE_MS = 200
const WRITE_MS = 5_000

/** What waits for one endpoint. */
interface Queue {
  endpoint: Endpoint
  readonly waiting: FinishedCall[]
  /** What is being sent. It stays until it is stored: whoever comes next sends it again. */
  sending: { calls: readonly FinishedCall[]; lost: number; tries: number } | undefined
  lost: number
  /** When a batch was sent last. */
  sentAt: number
}

/** A call that is over, as it is handed in. */
type EndedCall = Omit<FinishedCall, 'id' | 'calls' | 'keepsLiterals'>

/** Writes the records of an isolate to the objects that keep them, after the answers. */
export class Recorder {
  readonly #namespace: DurableObjectNamespace<CallRecords>
  readonly #background: Background
  readonly #queues = new Map<string, Queue>()
  readonly #shard = Math.floor(Math.random() * SHARDS)
  readonly #isolate = crypto.randomUUID().slice(0, 8)
  #sequence = 0
  #waiting = 0
  #chars = 0

  constructor(
    namespace: DurableObjectNamespace<CallRecords>,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#namespace = namespace
    this.#background = new Background(() => this.#flush(), waitUntil)
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
    // It waits for its batch, and the endpoint may be changed meanwhile.
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
    const { name } = endpoint
    const known = this.#queues.get(name)
    if (known) {
      known.endpoint = endpoint
      return known
    }
    const queue: Queue = { endpoint, waiting: [], sending: undefined, lost: 0, sentAt: 0 }
    this.#queues.set(name, queue)
    return queue
  }

  /** Sends one batch of each endpoint whose turn it is. */
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
    return isFull || queue.waiting.length >= MAX_BATCH || isQuiet(queue)
  }

  async #send(queue: Queue): Promise<unknown> {
    const { endpoint } = queue
    const { records } = endpoint
    queue.sending ??= this.#next(queue)
    const { sending } = queue
    if (!records) return this.#done(queue, sending)
    sending.tries++
    queue.sentAt = Date.now()
    try {
      const { recordsOf } = await import('./writing.ts')
      const written = await recordsOf(endpoint, sending.calls)
      const batch: Batch = {
        records: written,
        lost: sending.lost,
        retention: records,
      }
      const name = shardName(endpoint.name, this.#shard)
      const object = this.#namespace.get(this.#namespace.idFromName(name))
      await inTime(WRITE_MS, object.write(batch))
      this.#done(queue, sending)
    } catch (error) {
      if (queue.sending !== sending) return
      // An object that is restarted answers again soon.
      if (sending.tries < MAX_TRIES) return pause(FIRST_PAUSE_MS * 4 ** (sending.tries - 1))
      this.#done(queue, sending)
      queue.lost += sending.calls.length + sending.lost
      console.error(`Records of endpoint ${endpoint.name} are lost: ${queue.lost}.`, error)
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

/** Nothing was sent for a while. */
const isQuiet = ({ sentAt }: Queue) => Date.now() - sentAt >= SENDS_EVERY_MS

/** A flood of refusals at the door becomes one record. */
const isSameRefusal = (last: FinishedCall, call: EndedCall) =>
  call.tool === undefined &&
  last.tool === undefined &&
  last.caller === call.caller &&
  last.code === call.code

const charsOf = ({ statements }: Pick<FinishedCall, 'statements'>) =>
  statements.reduce((sum, { statement }) => sum + statement.sql.length, 0)
