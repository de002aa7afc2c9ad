import { idAt, type RecordFilter } from './record.ts'

/** The condition that finds records, and its values. */
export interface RecordSearch {
  readonly where: string
  readonly values: readonly string[]
}

/** The program's name in a record. */
export const CLIENT = `json_extract(record, '$.client.name')`

// SQLite changes the case of ASCII letters only.
const STATEMENT_HAS = `exists (select 1 from json_each(record, '$.statements')
  where instr(lower(json_extract(value, '$.sql')), ?) > 0)`

/** The condition that finds the records for a filter, and only those older than an id if one is passed. */
export function findingOf(
  { caller, tool, client, text, outcome, since, until }: RecordFilter,
  before?: string,
): RecordSearch {
  const tests = [
    [before, 'id < ?'],
    [since === undefined ? undefined : idAt(since), 'id >= ?'],
    [until === undefined ? undefined : idAt(until), 'id < ?'],
    [caller, 'caller = ?'],
    [tool, 'tool = ?'],
    [outcome, 'outcome = ?'],
    [client, `${CLIENT} = ?`],
    [text?.replace(/[A-Z]/g, (it) => it.toLowerCase()), STATEMENT_HAS],
  ].filter((it): it is [string, string] => it[0] !== undefined)
  return {
    where: tests.length > 0 ? `where ${tests.map(([, test]) => test).join(' and ')}` : '',
    values: tests.map(([value]) => value),
  }
}
