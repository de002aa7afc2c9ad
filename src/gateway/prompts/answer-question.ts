import type { DatabasePrompt } from '../database-prompt.ts'

export const answerQuestion: DatabasePrompt = {
  name: 'answer_question',
  title: 'Answer a question, with its evidence',
  text: 'Answer from the data: {question}\n\nFind tables with `list_tables`, look at them with `describe_table`, then query. Give the answer, then what you ran, what it returned and what you assumed. Say so if the data cannot answer it.',
}
