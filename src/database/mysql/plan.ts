import type { Plan } from '../dialect.ts'
import { estimate } from './estimate.ts'

/** Plans from MySQL and MariaDB, one row per table: https://mariadb.com/kb/en/explain/ */
export const plan: Plan = {
  of: (sql) => `explain ${sql}`,
  read({ columns, rows }) {
    const steps = rows.map((row) =>
      Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])),
    )
    const summary = steps.map(({ id, select_type, table, type, key, rows, Extra }) => {
      const how = key ? `${type} using ${key}` : type
      return [`${id} ${select_type} ${table ?? ''}: ${how ?? ''}`, rows && `${rows} rows`, Extra]
        .filter(Boolean)
        .join(', ')
    })
    return { summary, plan: steps }
  },
  estimate,
}
