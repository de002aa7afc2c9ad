import type { Driver } from '../database.ts'
import { hasSeveralHosts } from '../transport/hosts.ts'
import { cap } from '../transport/row-cap.ts'
import { isHttps } from '../transport/url.ts'
import { mysql } from './dialect.ts'
import { addressOf, type Field, type Result } from './planetscale-http.ts'
import { runReadOnly } from './planetscale-session.ts'
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
      asksGates: true,
      async query(statement, limits) {
        const { fields = [], rows = [] } = await runReadOnly(address, statement, limits, io)
        const types = fields.map(typeOfField)
        return {
          columns: fields.map(({ name }, i) => ({ name, type: types[i]!.name })),
          ...cap(cells(rows, types), limits),
        }
      },
    }
  },
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
