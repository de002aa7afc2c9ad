import type { Driver } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Limits, Statement } from '../rows.ts'
import { startDeadline } from '../transport/deadline.ts'
import { hasSeveralHosts } from '../transport/hosts.ts'
import { cap } from '../transport/row-cap.ts'
import { isHttps } from '../transport/url.ts'
import { mysql } from './dialect.ts'
import { limited } from './limit.ts'
import { addressOf, type Execute, type Field, type Result, session } from './planetscale-http.ts'
import { inlineParams } from './quote.ts'
import { READ_ONLY } from './read-only.ts'
import { typeOf } from './types.ts'
import { type Raw, readValue, type Type } from './values.ts'

/** MySQL at PlanetScale over HTTP: `mysql://…psdb.cloud/db`, or `planetscale://` anywhere. */
export const planetscale: Driver = {
  name: 'planetscale',
  opens: (url) =>
    url.protocol === 'planetscale:' ||
    (url.protocol === 'mysql:' && /\.psdb\.cloud$/i.test(url.hostname) && !hasSeveralHosts(url)),
  open(url, io) {
    const address = addressOf(url)
    return {
      dialect: mysql(address.database),
      tls: isHttps(address),
      refusesBy: 'in a transaction that only reads and is rolled back',
      async query(statement, limits) {
        const deadline = startDeadline(limits)
        const execute = session(address, limits, deadline, io)
        const { fields = [], rows = [] } = await run(execute, statement, limits)
        const types = fields.map(typeOfField)
        return {
          columns: fields.map(({ name }, i) => ({ name, type: types[i]!.name })),
          ...cap(cells(rows, types), limits),
        }
      },
    }
  },
}

/**
 * Runs one statement in a read-only transaction, and ends it. Vitess accepts the first statement and
 * ignores it; a plain MySQL obeys it.
 */
async function run(
  execute: Execute,
  statement: Statement,
  { maxRows, timeoutMs }: Limits,
): Promise<Result> {
  const sql = inlineParams(statement)
  const limitedSql = limited(statement, maxRows + 1, sql)
  await execute(READ_ONLY)
  // For a caller that leaves unnoticed. A plain MySQL behind the protocol has no such variable.
  await execute(`set query_timeout = ${timeoutMs}`).catch(() => {})
  const mode = await execute('select @@sql_mode')
  if (/ANSI|NO_BACKSLASH_ESCAPES/.test(atob(mode.rows?.[0]?.values ?? ''))) {
    throw new DatabaseError(
      'config',
      'The sql_mode of the database changes how texts are read. The operator must take ANSI, ANSI_QUOTES and NO_BACKSLASH_ESCAPES out of it.',
    )
  }
  await execute('start transaction read only')
  try {
    return await execute(limitedSql).catch((error) => {
      if (limitedSql === sql || !(error instanceof DatabaseError) || error.kind !== 'sql')
        throw error
      // An error is told of the statement as its author wrote it, without the LIMIT.
      return execute(sql)
    })
  } finally {
    // An earlier error matters more, and a transaction that is left open ends after 20 seconds.
    await execute('rollback').catch(() => {})
  }
}

/** Types that Vitess calls by another name. The others are the names of MySQL in capitals. */
const names: Readonly<Record<string, string>> = {
  INT8: 'tinyint',
  INT16: 'smallint',
  INT24: 'mediumint',
  INT32: 'int',
  INT64: 'bigint',
  FLOAT32: 'float',
  FLOAT64: 'double',
  NULL_TYPE: 'null',
}

function typeOfField({ type = 'NULL_TYPE', columnLength = 0, decimals = 0 }: Field): Type {
  const unsigned = /^UINT/.test(type)
  const own = unsigned ? type.slice(1) : type
  return typeOf({
    base: names[own] ?? own.toLowerCase(),
    unsigned,
    length: columnLength,
    decimals,
  })
}

/** Reads the rows one by one, so that those beyond the cap are never read. */
function* cells(rows: NonNullable<Result['rows']>, types: readonly Type[]) {
  for (const { lengths, values = '' } of rows) {
    const bytes = atob(values)
    let at = 0
    yield lengths.map((length, i) => {
      const size = Number(length)
      if (size < 0) return null
      const cell = bytes.slice(at, at + size)
      at += size
      return readValue(rawOf(cell), types[i]!)
    })
  }
}

/** One character a byte. Most cells are ASCII, which is text as it is; decoding each costs the most. */
const rawOf = (cell: string): Raw =>
  /^[\0-\x7f]*$/.test(cell) ? cell : Uint8Array.from(cell, (it) => it.charCodeAt(0))
