import type { DatabasePrompt } from '../database-prompt.ts'

export const explore: DatabasePrompt = {
  name: 'explore',
  title: 'Explore the database',
  description: 'Says what each table holds, how they join, and what can be asked.',
  text: 'Look at the tables with `list_tables` and `describe_table`. Say what each holds, how they join, and what can be asked of them.',
}
