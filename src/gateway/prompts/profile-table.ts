import type { DatabasePrompt } from '../database-prompt.ts'

export const profileTable: DatabasePrompt = {
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
}
