import { describe, expect, test } from 'vitest'
import { readValue } from '../../../src/database/mysql/values.ts'
import type { Cell, Param } from '../../../src/database/rows.ts'
import { demoIn } from '../../support/demo-statements.ts'
import { describeMariaDb } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 100, maxBytes: 1_000_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

type Row = [declared: string, written: string, type: string, value: Cell]

const PRECISE = '12345678901234567890123456789012345.000000000000000000000000000001'

/** Columns: the declaration, the SQL that is inserted, and the type and value that are read. */
const columns: Row[] = [
  ['tinyint', '-128', 'tinyint', -128],
  ['tinyint unsigned', '255', 'tinyint unsigned', 255],
  ['tinyint(1)', '1', 'tinyint(1)', true],
  ['boolean', '0', 'tinyint(1)', false],
  ['tinyint(1)', '7', 'tinyint(1)', 7],
  ['smallint', '-32768', 'smallint', -32768],
  ['mediumint unsigned', '16777215', 'mediumint unsigned', 16777215],
  ['int', '-2147483648', 'int', -2147483648],
  ['int unsigned zerofill', '42', 'int unsigned', 42],
  ['bigint', '9007199254740991', 'bigint', 9007199254740991],
  ['bigint', '-9007199254740993', 'bigint', '-9007199254740993'],
  ['bigint unsigned', '18446744073709551615', 'bigint unsigned', '18446744073709551615'],
  ['decimal(65,30)', `'${PRECISE}'`, 'decimal(65,30)', PRECISE],
  ['decimal(12,2)', '-1.5', 'decimal(12,2)', '-1.50'],
  ['decimal(5,0)', '12345', 'decimal(5,0)', 12345],
  ['decimal(4,1) unsigned', '999.9', 'decimal(4,1) unsigned', '999.9'],
  ['float', '0.1', 'float', 0.1],
  ['float', '16777215', 'float', 16777215],
  ['float', '3.40282e38', 'float', 3.40282e38],
  ['double', '0.1', 'double', 0.1],
  ['double', '1.7976931348623157e308', 'double', Number.MAX_VALUE],
  ['double', '1e20', 'double', 1e20],
  ['year', '2026', 'year', 2026],
  ['date', "'2024-02-29'", 'date', '2024-02-29'],
  ['date', "'0000-00-00'", 'date', '0000-00-00'],
  ['date', "'2024-00-00'", 'date', '2024-00-00'],
  ['datetime', "'2024-01-02 00:00:00'", 'datetime', '2024-01-02 00:00:00'],
  ['datetime(6)', "'9999-12-31 23:59:59.999999'", 'datetime(6)', '9999-12-31 23:59:59.999999'],
  ['datetime(6)', "'2024-01-02 03:04:05'", 'datetime(6)', '2024-01-02 03:04:05.000000'],
  ['datetime(3)', "'2024-01-02 03:04:05.07'", 'datetime(3)', '2024-01-02 03:04:05.070'],
  ['datetime', "'0000-00-00 00:00:00'", 'datetime', '0000-00-00 00:00:00'],
  [
    'timestamp(6) null',
    "'2024-01-02 03:04:05.000001'",
    'timestamp(6)',
    '2024-01-02 03:04:05.000001',
  ],
  ['time', "'-838:59:59'", 'time', '-838:59:59'],
  ['time(6)', "'25:00:00.000100'", 'time(6)', '25:00:00.000100'],
  ['time(2)', "'00:00:00'", 'time(2)', '00:00:00.00'],
  ['bit(1)', "b'1'", 'bit', '0x01'],
  ['bit(64)', "b'1111'", 'bit', '0x000000000000000f'],
  ['char(4)', "'ab'", 'char', 'ab'],
  ['varchar(80)', "'ž🐘\n\\\\ '", 'varchar', 'ž🐘\n\\ '],
  ['varchar(80) character set latin1', "'žé'", 'varchar', 'žé'],
  ['text', "''", 'text', ''],
  ['longtext', "'NULL'", 'text', 'NULL'],
  ['binary(3)', "x'00ff'", 'binary', '0x00ff00'],
  ['varbinary(9)', "x'00ff'", 'varbinary', '0x00ff'],
  ['blob', "''", 'blob', '0x'],
  ['longblob', "x'e29883'", 'blob', '0xe29883'],
  ["enum('sad', 'a,''b')", "'a,''b'", 'enum', "a,'b"],
  ["set('x', 'y z')", "'x,y z'", 'set', 'x,y z'],
  [
    'json',
    `'{"a": 12345678901234567890, "b": [1.50, null, true]}'`,
    'json',
    {
      a: '12345678901234567890',
      b: [1.5, null, true],
    },
  ],
  ['json', `'{"a": 1, "a": 2}'`, 'json', '{"a": 1, "a": 2}'],
  ['json', "'null'", 'json', 'null'],
  ['json', "'1e400'", 'json', '1e400'],
  ['varchar(9)', "x'efbbbf61'", 'varchar', '\ufeffa'],
  ['point', 'point(1, 2)', 'point', '0x000000000101000000000000000000f03f0000000000000040'],
  [
    'uuid',
    "'123E4567-e89b-12d3-a456-426655440000'",
    'uuid',
    '123e4567-e89b-12d3-a456-426655440000',
  ],
  ['inet6', "'::1'", 'inet6', '::1'],
  ['int', 'null', 'int', null],
]

const setup = `
  set sql_mode = '';
  create table held (${columns.map(([declared], i) => `c${i} ${declared}`).join(', ')}) row_format = dynamic;
  insert into held values (${columns.map(([, written]) => written).join(', ')});
`

await describeMariaDb('a MariaDB value', setup, (mariadb) => {
  const database = open(mariadb.url(mariadb.reader), io)
  const query = (sql: string, params: Param[] = []) => database.query({ sql, params }, limits)

  test.each(columns.map((row, i) => [i, ...row] as const))(
    'in column %i, declared as %s and set to %s, is read as %s: %j',
    async (i, _declared, _written, type, value) => {
      const {
        columns: [column],
        rows,
      } = await query(`select c${i} from held`)
      expect(column).toEqual({ name: `c${i}`, type })
      expect(rows).toEqual([[value]])
    },
  )

  test('is the same beside other columns and with a repeated name', async () => {
    const { columns: named, rows } = await query('select held.*, c1 as c0 from held')
    expect(rows).toEqual([[...columns.map((row) => row[3]), 255]])
    expect(named.at(-1)).toEqual({ name: 'c0', type: 'tinyint unsigned' })
  })

  test.each<[string, string, Cell]>([
    ['1 = 1', 'int', 1],
    ['9223372036854775807', 'bigint', '9223372036854775807'],
    ['-9223372036854775808', 'bigint', '-9223372036854775808'],
    ['18446744073709551615 + 0', 'bigint unsigned', '18446744073709551615'],
    ['1.10', 'decimal(3,2)', '1.10'],
    ['10 / 4', 'decimal(6,4)', '2.5000'],
    ['10 / 5', 'decimal(6,4)', '2.0000'],
    ['sum(1 = 1)', 'decimal(23,0)', 1],
    ['cast(-9007199254740991 as decimal(16))', 'decimal(16,0)', -9007199254740991],
    ['cast(9007199254740993 as decimal(16))', 'decimal(16,0)', '9007199254740993'],
    ['1e0', 'double', 1],
    ["'x'", 'varchar', 'x'],
    ["x'00'", 'varbinary', '0x00'],
    ['null', 'null', null],
    ['json_array(1, 2)', 'json', [1, 2]],
    ["json_extract('[null]', '$[0]')", 'json', 'null'],
    ["json_extract('[null]', '$[1]')", 'json', null],
    ["json_extract('[1e400]', '$[0]')", 'json', '1e400'],
    ["json_extract('[-0.0]', '$[0]')", 'json', '-0.0'],
    ['json_extract(\'[{"2024": 9, "2023": 1}]\', \'$[0]\')', 'json', '{"2024": 9, "2023": 1}'],
    ["json_extract('[\"a\"]', '$[0]')", 'json', 'a'],
    ["json_extract('[\"null\"]', '$[0]')", 'json', '"null"'],
    ["convert(x'efbbbf61' using utf8mb4)", 'varchar', '\ufeffa'],
    ["_ucs2 x'feff0061'", 'varchar', '\ufeffa'],
    ["cast('12:00:00.5' as time(1))", 'time(1)', '12:00:00.5'],
    ["repeat('é', 3)", 'varchar', 'ééé'],
    ["date '2024-01-02' + interval 1 day", 'date', '2024-01-03'],
  ])('is exact when computed: %s', async (expression, type, value) => {
    const {
      columns: [column],
      rows,
    } = await query(`select ${expression}`)
    expect([column?.type, rows]).toEqual([type, [[value]]])
  })
})

await describeMariaDb('the demo store in MariaDB', demoIn('mysql'), (mariadb) => {
  test('adds up to the cent', async () => {
    const sql = `select round(sum(total), 2), (select sum(amount) from payments) from order_totals`
    const { rows } = await open(mariadb.url(mariadb.reader), io).query({ sql }, limits)
    expect(rows).toEqual([['1965359.60', '1553884.58']])
  })

  test('distinguishes a long number from the next one', async () => {
    const database = open(mariadb.url(mariadb.reader), io)
    const {
      rows: [[ean] = []],
    } = await database.query({ sql: 'select ean from products limit 1' }, limits)
    const sql = 'select ean from products where ean = ?'
    const found = async (value: string) =>
      (await database.query({ sql, params: [value] }, limits)).rows
    expect(await found(String(ean))).toEqual([[ean]])
    expect(await found(String(BigInt(String(ean)) - 1n))).toEqual([])
  })
})

describe('readValue', () => {
  test('parses text that fits the type and returns other text unchanged', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect(readValue(bytes('7'), { name: 'int', form: 'integer' })).toBe(7)
    expect(readValue('9007199254740993', { name: 'bigint', form: 'integer' })).toBe(
      '9007199254740993',
    )
    expect(readValue(bytes('-0'), { name: 'double', form: 'double' })).toBe('-0')
    expect(readValue(bytes('1e300'), { name: 'double', form: 'double' })).toBe(1e300)
    expect(readValue(Math.fround(0.3), { name: 'float', form: 'float' })).toBe(0.3)
    expect(readValue(bytes('no json'), { name: 'json', form: 'json' })).toBe('no json')
    expect(readValue(bytes('a'), { name: 'blob', form: 'bytes' })).toBe('0x61')
    expect(readValue(null, { name: 'int', form: 'integer' })).toBeNull()
  })
})
