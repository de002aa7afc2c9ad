import type { DatabasePrompt } from '../database-prompt.ts'

export const profileTable: DatabasePrompt = {
  name: 'profile_table',
  title: 'Profile a table',
  text: 'Look at the table {table} with `describe_table`. With `query`, find for each column the share of NULLs, the distinct values, the range and the commonest values. Then say what looks wrong.',
}
