import type { FieldPacket } from 'mysql2/promise'

export type Row = readonly (Buffer | null)[]

// biome-ignore format: a table
const NUMBERED: Readonly<Record<number, string>> = {
  1: 'INT8', 2: 'INT16', 3: 'INT32', 4: 'FLOAT32', 5: 'FLOAT64', 6: 'NULL_TYPE', 7: 'TIMESTAMP',
  8: 'INT64', 9: 'INT24', 10: 'DATE', 11: 'TIME', 12: 'DATETIME', 13: 'YEAR', 16: 'BIT', 245: 'JSON',
  246: 'DECIMAL', 252: 'TEXT', 253: 'VARCHAR', 254: 'CHAR', 255: 'GEOMETRY',
}
// biome-ignore format: a table
const BINARY: Readonly<Record<string, string>> = { TEXT: 'BLOB', VARCHAR: 'VARBINARY', CHAR: 'BINARY' }

/** A column as Vitess describes it, without fields that are zero. */
export function described(field: FieldPacket) {
  const { columnType = 253, columnLength, characterSet, decimals, name } = field
  const flags = Number(field.flags)
  const plain = flags & 256 ? 'ENUM' : flags & 2048 ? 'SET' : (NUMBERED[columnType] ?? 'VARCHAR')
  const type = characterSet === 63 ? (BINARY[plain] ?? plain) : plain
  const signed = flags & 32 && type.startsWith('INT') ? `U${type}` : type
  return {
    name,
    type: signed,
    columnLength,
    charset: characterSet,
    decimals: decimals || undefined,
  }
}

/** A row: its values in one text, and the length of each one. */
export const joined = (row: Row) => ({
  lengths: row.map((value) => String(value?.length ?? -1)),
  values: Buffer.concat(row.filter((value) => value !== null)).toString('base64'),
})
