import { pathWith } from '../parts/pages.tsx'
import { type Answers, type ApiAnswer, type ApiRefusal, ask } from '../visit.ts'
import type { RuleScope } from './scope.ts'

/** Tables per page, and columns in an API response. */
const TABLES = 20
const COLUMNS = 200

/** Maximum number of columns that a rule can list. */
const MAX_COLUMNS = 2_000

type Columns = NonNullable<Answers['Schema']['table']>['columns']

const schemaOf = (
  { visit, endpoint, database }: RuleScope,
  part: Readonly<Record<string, string | number | undefined>>,
): Promise<ApiAnswer<Answers['Schema']>> =>
  ask(visit, 'GET', pathWith(`/endpoints/${endpoint.name}/schema`, { database, ...part }))

/** A page of a database's tables. */
export const tablesOf = (scope: RuleScope, search: string | undefined, offset: number) =>
  schemaOf(scope, { search, offset, limit: TABLES })

/** All columns in a table, up to the maximum that a rule can list. */
export async function columnsOf(scope: RuleScope, table: string): Promise<Columns | ApiRefusal> {
  const columns: Columns = []
  for (let offset = 0; offset < MAX_COLUMNS; offset += COLUMNS) {
    const { body, refused } = await schemaOf(scope, { table, offset, limit: COLUMNS })
    if (refused) return refused
    columns.push(...(body.table?.columns ?? []))
    if (body.table?.next === undefined) break
  }
  return columns
}
