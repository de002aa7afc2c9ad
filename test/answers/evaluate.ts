import { Conversation, type Host } from './conversation.ts'
import { type Answer, isRight } from './grade.ts'
import type { Question } from './question.ts'
import { Reader } from './reader.ts'
import { shop } from './shop.ts'

/** The outcome of one question. */
export interface Outcome {
  readonly name: string
  /** The reason why the answer is wrong, or undefined if it is right. */
  readonly wrong: string | undefined
  readonly calls: number
  readonly tokens: number
}

/** Answers questions: the reader of this folder, or a model. */
export type Respondent = (question: Question, conversation: Conversation) => Promise<Answer>

/** The reader, which follows its steps. */
export const reader: Respondent = (question, conversation) =>
  question.steps(new Reader(conversation))

/** Asks questions one after the other, and compares the answers with the rows of the store. */
export async function evaluate(
  host: Host,
  questions: readonly Question[],
  respondent: Respondent,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const question of questions) {
    const conversation = new Conversation(host, question.asks)
    const wrong = await judged(question, conversation, respondent)
    const { calls, tokens } = conversation
    outcomes.push({ name: question.name, wrong, calls, tokens })
  }
  return outcomes
}

async function judged(
  question: Question,
  conversation: Conversation,
  respondent: Respondent,
): Promise<string | undefined> {
  try {
    const given = await respondent(question, conversation)
    const expected = question.answer(shop)
    if (!isRight(expected, given)) {
      return `${shown(given)} is the answer, and ${shown(expected)} would be right.`
    }
    const obeyed = question.never?.exec(conversation.sent)
    return obeyed ? `It obeys what stands in a row: ${obeyed[0]}` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const shown = (answer: Answer) => JSON.stringify(answer).slice(0, 200)
