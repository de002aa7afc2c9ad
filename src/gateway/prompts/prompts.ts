import type { DatabasePrompt } from './database-prompt.ts'

/** Every prompt, in menu order. */
export const prompts: readonly DatabasePrompt[] = [
  {
    name: 'explore',
    title: 'Explore the database',
    description: 'Says what each table holds, how they join, and what can be asked.',
    text: 'Look at the tables with `list_tables` and `describe_table`. Say what each holds, how they join, and what can be asked of them.',
  },
  {
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
  },
  {
    name: 'profile_table',
    title: 'Profile a table',
    description: 'Finds gaps, ranges, common and odd values in each column of one table.',
    text: 'Look at the table {table} with `describe_table`. With `query`, find for each column the share of NULLs, the distinct values, the range and the commonest values. Then say what looks wrong.',
    arguments: {
      table: {
        description: 'Its name, with the schema if there are several.',
        absent: 'that the person typed, or else names next,',
      },
    },
  },
  {
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
  },
  {
    name: 'document_schema',
    title: 'Document the schema',
    description: 'Writes Markdown with a diagram, and what each table and column is for.',
    text: 'Document the schema in Markdown with `list_tables` and `describe_table`: a Mermaid erDiagram, then the purpose, columns and joins of every table. Mark what you guess.',
  },
]
