import type { Driver } from '../../database.ts'
import { hasSeveralHosts } from '../../transport/hosts.ts'
import { cappedAnswer } from '../../transport/row-cap.ts'
import { isHttps } from '../../transport/url.ts'
import { mysql } from '../dialect.ts'
import { typeOf } from '../types.ts'
import { type Raw, readValue, type Type } from '../values.ts'
import { addressOf, type PlanetScaleField, type ResultRow } from './http.ts'
import { runReadOnly } from './session.ts'

/** MySQL on PlanetScale over HTTP: `mysql://…psdb.cloud/db`, or `planetscale://` anywhere. */
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
      refusesBy: 'in a read-only transaction that is rolled back',
      asksGates: true,
      async query(statement, limits) {
        const { fields = [], rows = [] } = await runReadOnly(address, statement, limits, io)
        const types = fields.map(typeOfField)
        const columns = fields.map(({ name }, i) => ({ name, type: types[i]!.name }))
        return cappedAnswer(columns, rows, (row) => cellsOf(row, types), limits)
      },
    }
  },
}

/** Types that Vitess names differently. Other names are MySQL's in capitals. */
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

function typeOfField({
  type = 'NULL_TYPE',
  columnLength = 0,
  decimals = 0,
}: PlanetScaleField): Type {
  const unsigned = /^UINT/.test(type)
  const own = unsigned ? type.slice(1) : type
  return typeOf({
    base: names[own] ?? own.toLowerCase(),
    unsigned,
    length: columnLength,
    decimals,
  })
}

/** Splits a row's string into cells by their lengths. */
function cellsOf({ lengths, values = '' }: ResultRow, types: readonly Type[]) {
  const bytes = atob(values)
  let at = 0
  return lengths.map((length, i) => {
    const size = Number(length)
    if (size < 0) return null
    const cell = bytes.slice(at, at + size)
    at += size
    return readValue(rawOf(cell), types[i]!)
  })
}

/** Converts a string with one character per byte. Most cells are ASCII, so they skip the decoding, which is costly. */
const rawOf = (cell: string): Raw =>
  /^[\0-\x7f]*$/.test(cell) ? cell : Uint8Array.from(cell, (it) => it.charCodeAt(0))
