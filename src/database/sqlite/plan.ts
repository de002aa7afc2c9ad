import type { Plan } from '../dialect.ts'

/** SQLite's query plan, a tree of text lines: https://sqlite.org/eqp.html */
export const plan: Plan = {
  of: (sql) => `explain query plan ${sql}`,
  read({ rows }) {
    const depths = new Map<unknown, number>()
    const summary = rows.map(([id, parent, , detail]) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return `${'  '.repeat(depth)}${detail}`
    })
    return { summary, plan: rows }
  },
}
