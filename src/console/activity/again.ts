import type { ShownEndpoint } from '../parts/endpoint.ts'
import type { CallRecord, Statement } from './reading.ts'

/** A statement is recorded up to so many characters, and its values up to fewer. */
const MAX_SQL_CHARS = 4_000

/** Whether a statement can run as it is recorded: with its values, or without any. */
export function isWhole({ sql = '', params }: Statement, endpoint: ShownEndpoint): boolean {
  if (sql === '' || (sql.endsWith('…') && sql.length >= MAX_SQL_CHARS)) return false
  if (endpoint.records?.literals === true)
    return params === undefined || valuesOf(params) !== undefined
  // In place of a value stands a placeholder.
  return !/[?$]/.test(sql)
}

function valuesOf(params: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(params)
    return Array.isArray(values) ? values : undefined
  } catch {
    // It was too long to be kept whole.
    return undefined
  }
}

/** Where the Workbench has a call again: the tool, and the statement that ran for it. */
export function workbenchOf(record: CallRecord, endpoint: ShownEndpoint, statement = 0): string {
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
    // A tool for one database takes no name of it.
    ...(Object.keys(endpoint.databases).length > 1 && { database }),
    sql,
    ...(values && { params: values }),
  }
  const query = { tool: 'query', arguments: JSON.stringify(given) }
  // The Workbench says what is to be filled in.
  const left = isWhole(ran, endpoint) ? {} : { values: 'left-out' }
  return `${path}?${new URLSearchParams({ ...query, ...left })}`
}
