import type { Plan } from '../dialect.ts'
import { finite } from '../finite.ts'

/** What ClickHouse plans, from version 20.6 on: https://clickhouse.com/docs/sql-reference/statements/explain */
export const plan: Plan = {
  of: (sql) => `explain ${sql}`,
  read({ rows }) {
    const lines = rows.map(([line]) => String(line))
    return { summary: lines, plan: lines }
  },
  // From version 21.9 on, and only of tables whose engine is one of the MergeTree family: a row for each.
  estimate: {
    of: (sql) => `explain estimate ${sql}`,
    read({ columns, rows }) {
      const at = columns.findIndex(({ name }) => name === 'rows')
      if (at < 0) return {}
      return { rows: finite(rows.reduce((sum, row) => sum + Number(row[at]), 0)) }
    },
    advice: 'Filter on columns of the primary key or of the partition, or join fewer tables.',
  },
}
