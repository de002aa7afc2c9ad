import type { ShownEndpoint } from '../parts/endpoint.ts'
import type { ApiCallRecord, ApiStatement } from './reading.ts'

/** Maximum length of a statement in the call log. Values are cut earlier. */
const MAX_SQL_CHARS = 4_000

/** True if a logged statement can run again as it is: it has its values or does not need any. */
export function isWhole({ sql = '', params }: ApiStatement, endpoint: ShownEndpoint): boolean {
  if (sql === '' || (sql.endsWith('…') && sql.length >= MAX_SQL_CHARS)) return false
  if (endpoint.records ? endpoint.records.literals : false)
    return params === undefined || valuesOf(params) !== undefined
  // Placeholders replaced the values.
  return !/[?$]/.test(sql)
}

function valuesOf(params: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(params)
    return Array.isArray(values) ? values : undefined
  } catch {
    // It was too long for the log, so it was cut.
    return undefined
  }
}

/** Link that opens a call in the Workbench, with its tool and statement. */
export function workbenchOf(record: ApiCallRecord, endpoint: ShownEndpoint, statement = 0): string {
  const path = `/console/endpoints/${endpoint.name}/workbench`
  const ran = record.statements?.[statement]
  if (ran?.sql === undefined) {
    return record.tool === undefined
      ? path
      : `${path}?${new URLSearchParams({ tool: record.tool })}`
  }
  const { database, sql, params = '' } = ran
  const values = valuesOf(params)
  const given = {
    // With one database, tools have no argument for its name.
    ...(Object.keys(endpoint.databases).length > 1 && { database }),
    sql,
    ...(values && { params: values }),
  }
  const query = { tool: 'query', arguments: JSON.stringify(given) }
  // The Workbench asks for the missing values.
  const left = isWhole(ran, endpoint) ? {} : { values: 'left-out' }
  return `${path}?${new URLSearchParams({ ...query, ...left })}`
}
