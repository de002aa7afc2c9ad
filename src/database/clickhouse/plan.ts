import type { Plan } from '../dialect.ts'
import { finite } from '../finite.ts'

/** Query plans, in version 20.6 and later: https://clickhouse.com/docs/sql-reference/statements/explain */
export const plan: Plan = {
  of: (sql) => `explain ${sql}`,
  read({ rows }) {
    const lines = rows.map(([line]) => String(line))
    return { summary: lines, plan: lines }
  },
  // Only in version 21.9 and later, and only for tables in the MergeTree family. It has one row for each table.
  estimate: {
    of: (sql) => `explain estimate ${sql}`,
    read({ columns, rows }) {
      const at = columns.findIndex(({ name }) => name === 'rows')
      if (at < 0) return {}
      return { rows: finite(rows.reduce((sum, row) => sum + Number(row[at]), 0)) }
    },
    advice: 'Filter on columns in the primary key or the partition key, or join fewer tables.',
  },
}
