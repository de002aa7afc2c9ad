import type { DatabasePrompt } from '../database-prompt.ts'

export const answerQuestion: DatabasePrompt = {
  name: 'answer_question',
  title: 'Answer a question, with its evidence',
  description: 'Finds the answer in the data, and shows what was run and assumed.',
  text: 'Answer from the data: {question}\n\nFind tables with `list_tables`, look at them with `describe_table`, then query. Give the answer, then what you ran, what it returned and what you assumed. Say so if the data cannot answer it.',
  arguments: {
    question: {
      description: 'What you want to know, in your own words.',
      absent: 'the question that the person typed, or else asks next.',
    },
  },
}
