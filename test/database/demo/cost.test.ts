import { expect, test } from 'vitest'
import { rowsVisited } from '../../../src/database/demo/cost.ts'
import { readPlan } from '../../../src/database/demo/plan.ts'
import type { TableSizes } from '../../../src/database/demo/table-sizes.ts'

test('a step of a recursion costs more with each row that it puts into the queue', () => {
  const plan = readPlan([
    [1, 0, 0, 'CO-ROUTINE c'],
    [2, 1, 0, 'SETUP'],
    [3, 2, 0, 'SCAN CONSTANT ROW'],
    [4, 1, 0, 'RECURSIVE STEP'],
    [5, 4, 0, 'SCAN orders'],
    [6, 0, 0, 'SCAN c'],
  ])
  const visits = (orders: number) => {
    const sizes = {
      setQuery: () => {},
      rowsFound: (name: string) => (name === 'orders' ? orders : 1),
    }
    const recursive = { length: () => 10, stepCost: () => 150 }
    return rowsVisited(plan, sizes as unknown as TableSizes, recursive)
  }
  expect(visits(2_400) - visits(1)).toBe(10 * (2_400 - 1) * (1 + 150))
})
