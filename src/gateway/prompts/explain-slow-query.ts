import type { DatabasePrompt } from '../database-prompt.ts'

export const explainSlowQuery: DatabasePrompt = {
  name: 'explain_slow_query',
  title: 'Explain a slow query',
  description: 'Reads the plan of a statement, and proposes an index or a rewrite.',
  text: 'Why is this slow? Look at its plan with `explain_query` and at the indexes with `describe_table`. Then propose an index or a rewrite, and compare the plans.\n\n{sql}',
  arguments: {
    sql: {
      description: 'The statement that is slow.',
      absent: 'The statement that the person typed, or else gives next.',
    },
  },
}
