import type { Changes } from '../mcp/index.ts'
import type { Endpoint } from './endpoint.ts'
import type { CredentialIo } from './open-database.ts'
import { lookAtQuestions, type QuestionLook } from './question-look.ts'
import type { QuestionStates } from './verified-question.ts'

/** How long an isolate relies on its last look at the questions of an endpoint. */
export const LOOK_MS = 30_000

/** How long a list of tools waits for a look. After that it is made of what was known before. */
const MAX_WAIT_MS = 2_000

/** How often a request sees whether the look of another one has ended. */
const POLL_MS = 25

/**
 * Knows which verified questions of an endpoint still work. It looks only while the endpoint is in use, and
 * what a database does not say leaves everything as it was.
 */
export class QuestionWatch implements QuestionStates {
  readonly #endpoint: Endpoint
  readonly #io: CredentialIo
  readonly #changes: Changes | undefined
  #broken: ReadonlyMap<string, string> = new Map()
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #announced: string | undefined

  /** @param changes Tells the clients of the endpoint when one of them stops working, or works again. */
  constructor(endpoint: Endpoint, io: CredentialIo, changes?: Changes) {
    this.#endpoint = endpoint
    this.#io = io
    this.#changes = changes
  }

  get broken(): ReadonlyMap<string, string> {
    return this.#broken
  }

  /** Another one for each state of the questions. */
  get version(): string {
    return JSON.stringify([...this.#broken])
  }

  /** Looks at all of them, if the last look is too long ago. It never fails. */
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

  /** Waits until the look that is under way has ended, also one of another request, but not for long. */
  async settled(): Promise<void> {
    const until = Date.now() + MAX_WAIT_MS
    // A promise belongs to the request that made it, so it is not waited for itself.
    while (this.#isLooking && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  async lookAgain(name: string): Promise<string | undefined> {
    try {
      const found = await lookAtQuestions(this.#endpoint, this.#io, { name })
      const problem = found.get(name) ?? undefined
      // What took this one away may have taken others.
      if (problem !== undefined) this.#lookedAt = Number.NEGATIVE_INFINITY
      await this.learn(found)
      return problem
    } catch (error) {
      console.error(error)
      return undefined
    }
  }

  /** Takes in what a look found, also one that somebody else had made. */
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

  /** The hub knows the last version that any isolate has told it, and tells clients of another one. */
  async #announce(): Promise<void> {
    const { questions = [] } = this.#endpoint
    const working = questions.filter(({ name }) => !this.#broken.has(name))
    const version = working.map(({ name, at }) => `${name} ${at}`).join(' ')
    if (version === this.#announced) return
    this.#announced = version
    await this.#changes?.publish({ kind: 'tools', version })
  }
}
