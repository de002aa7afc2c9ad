import { pause } from '../../ground/index.ts'
import type { Changes } from '../../mcp/index.ts'
import type { Endpoint } from '../config/endpoint.ts'
import type { CredentialIo } from '../open/endpoint-database.ts'
import type { QuestionStates } from '../tools/verified-question.ts'
import { lookAtQuestions, type QuestionLook } from './question-look.ts'

/** The time for which an isolate relies on its last check of an endpoint's questions. */
export const LOOK_MS = 30_000

/** Maximum time that a list of tools waits for a check. After that, it uses the earlier result. */
const MAX_WAIT_MS = 2_000

/** The interval at which a request polls for the end of another request's check. */
const POLL_MS = 25

/** Tracks which questions still work, while the endpoint is in use. If a database does not answer, nothing changes. */
export class QuestionWatch implements QuestionStates {
  readonly #endpoint: Endpoint
  readonly #io: CredentialIo
  readonly #changes: Changes | undefined
  #broken: ReadonlyMap<string, string> = new Map()
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #announced: string | undefined

  /** @param changes Notifies the endpoint's clients when a question stops working, or works again. */
  constructor(endpoint: Endpoint, io: CredentialIo, changes?: Changes) {
    this.#endpoint = endpoint
    this.#io = io
    this.#changes = changes
  }

  get broken(): ReadonlyMap<string, string> {
    return this.#broken
  }

  /** A different version for each state of the questions. */
  get version(): string {
    return JSON.stringify([...this.#broken])
  }

  /** Checks all questions, if the last check was too long ago. It never fails. */
  async refresh(): Promise<void> {
    if (Date.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = Date.now()
    this.#isLooking = true
    try {
      await this.learn(await lookAtQuestions(this.#endpoint, this.#io))
    } catch (error) {
      console.error(error)
    } finally {
      this.#isLooking = false
    }
  }

  /** Waits briefly for a running check to end, even one that another request started. */
  async settled(): Promise<void> {
    const until = Date.now() + MAX_WAIT_MS
    // A promise belongs to the request that made it, so this polls instead of awaiting it.
    while (this.#isLooking && Date.now() < until) {
      await pause(POLL_MS)
    }
  }

  async lookAgain(name: string): Promise<string | undefined> {
    try {
      const found = await lookAtQuestions(this.#endpoint, this.#io, { name })
      const problem = found.get(name) ?? undefined
      // The change that broke this question may have broken others.
      if (problem !== undefined) this.#lookedAt = Number.NEGATIVE_INFINITY
      await this.learn(found)
      return problem
    } catch (error) {
      console.error(error)
      return undefined
    }
  }

  /** Adds the results of a check, including one that was run elsewhere. */
  async learn(found: QuestionLook): Promise<void> {
    if (found.size === 0) return
    const next = new Map(this.#broken)
    for (const [name, problem] of found) {
      if (problem === null) next.delete(name)
      else next.set(name, problem)
    }
    this.#broken = next
    await this.#announce()
  }

  /** The hub stores the last version that any isolate reported, and notifies clients when it changes. */
  async #announce(): Promise<void> {
    const { questions = [] } = this.#endpoint
    const working = questions.filter(({ name }) => !this.#broken.has(name))
    const version = working.map(({ name, at }) => `${name} ${at}`).join(' ')
    if (version === this.#announced) return
    this.#announced = version
    await this.#changes?.publish({ kind: 'tools', version })
  }
}
