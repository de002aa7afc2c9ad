/** Answers that are kept of one database, and their characters. */
const MAX_ANSWERS = 1_000
const MAX_CHARACTERS = 512 * 1024

/** Characters of all answers that are kept in one isolate. */
const MAX_ISOLATE_CHARACTERS = 16 * 1024 * 1024

/** An answer as JSON, so that nobody who reads it changes what is kept. */
export interface KeptAnswer {
  readonly json: string
  /** When it was asked for, in milliseconds since 1970. */
  readonly at: number
  /** The call that asked for it. */
  readonly call: number
}

/** Those that hold something. The one that was added to longest ago comes first. */
const inIsolate = new Set<KeptAnswers>()
let isolateCharacters = 0

/** Keeps answers by name within bounds. Where there are too many, the oldest are forgotten. */
export class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>()
  #characters = 0
  #times = 0

  /** How often all of them were forgotten. */
  get timesForgotten(): number {
    return this.#times
  }

  get(name: string): KeptAnswer | undefined {
    return this.#answers.get(name)
  }

  /** Keeps an answer, unless it is too large by itself. */
  set(name: string, answer: KeptAnswer): void {
    this.delete(name)
    const size = sizeOf(name, answer)
    if (size > MAX_CHARACTERS) return
    this.#answers.set(name, answer)
    this.#grow(size)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS && this.#characters <= MAX_CHARACTERS) break
      this.delete(oldest)
    }
    inIsolate.delete(this)
    inIsolate.add(this)
    for (const oldest of inIsolate) {
      if (isolateCharacters <= MAX_ISOLATE_CHARACTERS) break
      oldest.forget()
    }
  }

  delete(name: string): void {
    const answer = this.#answers.get(name)
    if (!answer) return
    this.#answers.delete(name)
    this.#grow(-sizeOf(name, answer))
  }

  /** Forgets all of them. */
  forget(): void {
    this.#answers.clear()
    this.#grow(-this.#characters)
    this.#times++
    inIsolate.delete(this)
  }

  #grow(characters: number): void {
    this.#characters += characters
    isolateCharacters += characters
  }
}

const sizeOf = (name: string, { json }: KeptAnswer) => name.length + json.length
