import type { DatabasePrompt } from '../database-prompt.ts'

export const documentSchema: DatabasePrompt = {
  name: 'document_schema',
  title: 'Document the schema',
  description: 'Writes Markdown with a diagram, and what each table and column is for.',
  text: 'Document the schema in Markdown with `list_tables` and `describe_table`: a Mermaid erDiagram, then the purpose, columns and joins of every table. Mark what you guess.',
}
