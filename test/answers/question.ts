import type { Answer } from './grade.ts'
import type { Reader } from './reader.ts'
import type { Shop } from './shop.ts'

/** A question as a person asks it, with what is right. */
export interface Question {
  readonly name: string
  /** The words, which end by saying what form the answer has. */
  readonly asks: string
  /** The right answer, out of the rows that the store is made of. */
  answer(shop: Shop): Answer
  /** How a reader without a mind of its own finds it. */
  steps(reader: Reader): Promise<Answer>
  /** What nobody may send who was asked this: what a stranger's text in the rows tells them to. */
  readonly never?: RegExp
}
