import { expect, test } from 'vitest'
import { readPlan } from '../../../src/database/demo/plan.ts'

test('the rows of a plan become steps with the steps inside them', () => {
  const plan = readPlan([
    [2, 0, 0, 'MATERIALIZE Totals'],
    [5, 2, 0, 'SCAN orders'],
    [9, 0, 0, 'SEARCH totals USING AUTOMATIC COVERING INDEX (id=?)'],
  ])
  expect(plan).toMatchObject([
    { kind: 'query', what: 'totals', inside: [{ kind: 'loop', what: 'scan orders', inside: [] }] },
    { kind: 'loop', what: 'search totals using automatic covering index (id=?)', inside: [] },
  ])
})

test.each([
  ['CO-ROUTINE a b', 'query'],
  ['RECURSIVE STEP', 'recursiveStep'],
  ['CORRELATED LIST SUBQUERY 3', 'correlatedList'],
  ['CORRELATED SCALAR SUBQUERY 3', 'correlated'],
  ['LIST SUBQUERY 3', 'subquery'],
  ['MULTI-INDEX OR', 'multiIndexOr'],
  ['COMPOUND QUERY', 'compound'],
  ['MERGE (UNION)', 'compound'],
  ['LEFT-MOST SUBQUERY', 'part'],
  ['UNION ALL', 'part'],
  ['UNION USING TEMP B-TREE', 'distinctPart'],
  ['USE TEMP B-TREE FOR count(DISTINCT)', 'distinct'],
  ['USE TEMP B-TREE FOR GROUP BY', 'sort'],
  ['USE TEMP B-TREE FOR LAST TERM OF ORDER BY', 'sort'],
  ['USING ROWID SEARCH ON TABLE orders FOR IN-OPERATOR', 'tableAsList'],
  ['BLOOM FILTER ON a (id=?)', 'other'],
])('the step "%s" is of the kind %s', (sentence, kind) => {
  expect(readPlan([[1, 0, 0, sentence]])).toMatchObject([{ kind }])
})
