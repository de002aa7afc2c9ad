import { BoundedMap } from '../../ground/index.ts'

/** Maximum number of cached answers per database, and of characters in them. */
const MAX_ANSWERS = 1_000
const MAX_CHARACTERS = 512 * 1024

/** Maximum number of characters in all cached answers in one isolate. */
const MAX_ISOLATE_CHARACTERS = 16 * 1024 * 1024

/** A cached answer as JSON, so that no reader can change the cached value. */
export interface KeptAnswer {
  readonly json: string
  /** The call that requested it. */
  readonly call: number
}

/** Databases with cached answers, least recently used first. */
const inIsolate = new Set<KeptAnswers>()
let isolateCharacters = 0

/** Cache of one database's answers, within bounds shared by all databases of an isolate. */
export class KeptAnswers {
  readonly #answers: BoundedMap<KeptAnswer>
  readonly #seconds: number
  #lastAt = 0
  /** Number of times that the cache was cleared. */
  timesForgotten = 0

  constructor(seconds: number) {
    this.#seconds = seconds
    this.#answers = new BoundedMap({
      entries: MAX_ANSWERS,
      size: MAX_CHARACTERS,
      ttlMs: seconds * 1_000,
    })
  }

  get(name: string): KeptAnswer | undefined {
    return this.#answers.get(name)
  }

  /** Caches an answer that was requested at this time, unless it alone is too large. */
  set(name: string, answer: KeptAnswer, at: number): void {
    const size = 2 * name.length + answer.json.length
    this.delete(name)
    if (size > MAX_CHARACTERS) return
    this.#change((answers) => answers.set(name, answer, size, at))
    this.#lastAt = at
    inIsolate.delete(this)
    inIsolate.add(this)
    for (const oldest of inIsolate) {
      const isOver = at - oldest.#lastAt >= oldest.#seconds * 1_000
      if (!isOver && isolateCharacters <= MAX_ISOLATE_CHARACTERS) return
      oldest.forget()
    }
  }

  delete(name: string): void {
    this.#change((answers) => answers.delete(name))
  }

  /** Clears the cache. */
  forget(): void {
    this.#change((answers) => answers.clear())
    this.timesForgotten++
    inIsolate.delete(this)
  }

  #change(change: (answers: BoundedMap<KeptAnswer>) => void): void {
    const before = this.#answers.size
    change(this.#answers)
    isolateCharacters += this.#answers.size - before
  }
}
