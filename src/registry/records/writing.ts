import { redaction } from '../../database/index.ts'
import type { Endpoint, RanStatement } from '../../gateway/index.ts'
import { cut, oneLine } from '../one-line.ts'
import type { FinishedCall } from './finished-call.ts'
import type { CallRecord, RecordedStatement } from './record.ts'

const MAX_SQL_CHARS = 4_000
const MAX_PARAMS_CHARS = 1_000
const MAX_NAME_CHARS = 80

/** The records of calls at one endpoint. */
export async function recordsOf(
  { name: endpoint, records }: Endpoint,
  calls: readonly FinishedCall[],
): Promise<readonly CallRecord[]> {
  const { withoutLiterals } = await redaction()
  const literals = records !== false && records.literals
  const recorded = (
    { database, dialect, statement, free }: RanStatement,
    keepsLiterals: boolean,
  ): RecordedStatement => {
    const { sql, params } = statement
    const shown = free && !keepsLiterals ? withoutLiterals(sql, dialect.rules) : sql
    return {
      database,
      ...(shown !== undefined && { sql: cut(shown, MAX_SQL_CHARS) }),
      ...(keepsLiterals &&
        params?.length && { params: cut(JSON.stringify(params), MAX_PARAMS_CHARS) }),
    }
  }
  return calls.map(({ time, client, tool, statements, keepsLiterals, ...facts }) => ({
    ...facts,
    time: new Date(time).toISOString(),
    endpoint,
    client: client?.name
      ? { name: plain(client.name), version: client.version && plain(client.version) }
      : undefined,
    tool: typeof tool === 'string' ? plain(tool) : undefined,
    statements:
      statements.length > 0
        ? statements.map((it) => recorded(it, literals && keepsLiterals))
        : undefined,
  }))
}

const plain = (text: string) => oneLine(text, MAX_NAME_CHARS)
