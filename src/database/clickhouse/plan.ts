import type { Plan } from '../dialect.ts'

/** What ClickHouse plans, from version 20.6 on: https://clickhouse.com/docs/sql-reference/statements/explain */
export const plan: Plan = {
  of: (sql) => `explain ${sql}`,
  read({ rows }) {
    const lines = rows.map(([line]) => String(line))
    return { summary: lines, plan: lines }
  },
}
