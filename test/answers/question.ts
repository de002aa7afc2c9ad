import type { Answer } from './grade.ts'
import type { Reader } from './reader.ts'
import type { Shop } from './shop.ts'

/** A question as a person would ask it, with the right answer. */
export interface Question {
  readonly name: string
  /** The text, which ends with the form of the answer. */
  readonly asks: string
  /** The right answer, computed from the rows of the store. */
  answer(shop: Shop): Answer
  /** The steps of the simulated reader to find it. */
  steps(reader: Reader): Promise<Answer>
  /** Matches calls that must never be sent, because only an instruction in a row asks for them. */
  readonly never?: RegExp
}
