import { Kept } from '../kept.ts'

/** Answers that are kept of one database, and their characters. */
const MAX_ANSWERS = 1_000
const MAX_CHARACTERS = 512 * 1024

/** Characters of all answers that are kept in one isolate. */
const MAX_ISOLATE_CHARACTERS = 16 * 1024 * 1024

/** An answer as JSON, so that nobody who reads it changes what is kept. */
export interface KeptAnswer {
  readonly json: string
  /** The call that asked for it. */
  readonly call: number
}

/** The databases of which something is kept. The one that was asked longest ago comes first. */
const inIsolate = new Set<KeptAnswers>()
let isolateCharacters = 0

/** The answers of one database that are kept, within bounds that all databases of an isolate share. */
export class KeptAnswers {
  readonly #answers: Kept<KeptAnswer>
  readonly #seconds: number
  #lastAt = 0
  #timesForgotten = 0

  constructor(seconds: number) {
    this.#seconds = seconds
    this.#answers = new Kept({ seconds, entries: MAX_ANSWERS, size: MAX_CHARACTERS })
  }

  /** How often all of them were forgotten. */
  get timesForgotten(): number {
    return this.#timesForgotten
  }

  get(name: string): KeptAnswer | undefined {
    return this.#answers.get(name)
  }

  /** Keeps an answer that was asked for at this time, unless it is too large by itself. */
  set(name: string, answer: KeptAnswer, at: number): void {
    this.#change((answers) => answers.set(name, answer, 2 * name.length + answer.json.length, at))
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

  /** Forgets all of them. */
  forget(): void {
    this.#change((answers) => answers.clear())
    this.#timesForgotten++
    inIsolate.delete(this)
  }

  #change(change: (answers: Kept<KeptAnswer>) => void): void {
    const before = this.#answers.size
    change(this.#answers)
    isolateCharacters += this.#answers.size - before
  }
}
