import { describe, expect, test } from 'vitest'
import { readerOf } from '../../../src/database/clickhouse/values.ts'
import type { Cell, Param } from '../../../src/database/rows.ts'
import { describeClickHouse } from '../../support/clickhouse.ts'
import { clickhouseDemo } from '../../support/clickhouse-demo.ts'
import { open } from '../../support/open.ts'

const limits = { maxRows: 100, maxBytes: 1_000_000, timeoutMs: 10_000 }

const binary = (text: string) => Buffer.from(text).toString('latin1')

await describeClickHouse('a ClickHouse value', clickhouseDemo(), (server) => {
  const database = open(server.url('reader'), { fetch, bindings: {} })

  test.each<[expression: string, type: string, value: Cell]>([
    ['toUInt8(255)', 'UInt8', 255],
    ['toInt32(-2147483648)', 'Int32', -2147483648],
    ['toInt64(9007199254740991)', 'Int64', 9007199254740991],
    ['toInt64(9007199254740992)', 'Int64', '9007199254740992'],
    ['toInt64(-9223372036854775808)', 'Int64', '-9223372036854775808'],
    ['toUInt64(18446744073709551615)', 'UInt64', '18446744073709551615'],
    ['CAST(NULL AS Nullable(Int64))', 'Nullable(Int64)', null],
    ["CAST('7' AS Nullable(Int64))", 'Nullable(Int64)', 7],
    ['NULL', 'Nullable(Nothing)', null],
    ["toDecimal64('1.50', 2)", 'Decimal(18, 2)', '1.50'],
    ["toDecimal64('15', 0)", 'Decimal(18, 0)', 15],
    ["[toDecimal64('9007199254740993', 0)]", 'Array(Decimal(18, 0))', ['9007199254740993']],
    ["toDecimal32('-0.001', 3)", 'Decimal(9, 3)', '-0.001'],
    [
      "toDecimal128('12345678901234567890123456789.123456789', 9)",
      'Decimal(38, 9)',
      '12345678901234567890123456789.123456789',
    ],
    ['toFloat64(0.1)', 'Float64', 0.1],
    ['toFloat32(0.1)', 'Float32', 0.1],
    ['1.7976931348623157e308', 'Float64', Number.MAX_VALUE],
    ['-0.0', 'Float64', '-0'],
    ['0/0', 'Float64', 'nan'],
    ['1/0', 'Float64', 'inf'],
    ['-1/0', 'Float64', '-inf'],
    ["''", 'String', ''],
    ["'\\\\N'", 'String', '\\N'],
    ["'NULL'", 'String', 'NULL'],
    ["'a\\tb\\nc\\rd\\\\e\\'f\\0g\\b\\f'", 'String', "a\tb\nc\rd\\e'f\0g\b\f"],
    ["'Code: 60, e.displayText() = DB::Exception: x'", 'String', expect.stringContaining('Code')],
    ["'ž🐘\u2028'", 'String', 'ž🐘\u2028'],
    ["unhex('EFBBBF61')", 'String', '\ufeffa'],
    ["'\ufffd'", 'String', '\ufffd'],
    ["unhex('FF00FE')", 'String', "unhex('FF00FE')"],
    ["unhex('EDA080')", 'String', "unhex('EDA080')"],
    ["toFixedString('ab', 4)", 'FixedString(4)', 'ab\0\0'],
    ["toDate('2026-01-02')", 'Date', '2026-01-02'],
    ["toDateTime('2026-01-02 03:04:05')", 'DateTime', '2026-01-02 03:04:05'],
    [
      "toDateTime('2026-01-02 03:04:05', 'Asia/Tokyo')",
      "DateTime('Asia/Tokyo')",
      '2026-01-02 03:04:05',
    ],
    [
      "toUUID('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
      'UUID',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    ],
    ["CAST('a' AS Enum8('a' = 1, 'b, (' = 2))", "Enum8('a' = 1, 'b, (' = 2)", 'a'],
    ["toLowCardinality('x')", 'LowCardinality(String)', 'x'],
    ['[1, 2]', 'Array(UInt8)', [1, 2]],
    ['[9007199254740993, 1]', 'Array(UInt64)', ['9007199254740993', 1]],
    ["[toDecimal64('1.50', 2)]", 'Array(Decimal(18, 2))', ['1.50']],
    ['[0/0, 1.5, -1/0]', 'Array(Float64)', ['nan', 1.5, '-inf']],
    ["[NULL, 'NULL']", 'Array(Nullable(String))', [null, 'NULL']],
    ["['a\\'b', 'c\\\\d', 'e\\tf,]', 'ž']", 'Array(String)', ["a'b", 'c\\d', 'e\tf,]', 'ž']],
    ["[unhex('FF')]", 'Array(String)', ["unhex('FF')"]],
    ["[toDate('2026-01-02')]", 'Array(Date)', ['2026-01-02']],
    ['emptyArrayUInt8()', 'Array(UInt8)', []],
    ["[[['a'], []]]", 'Array(Array(Array(String)))', [[['a'], []]]],
    ["tuple(1, 'a', [NULL])", 'Tuple(UInt8, String, Array(Nullable(Nothing)))', [1, 'a', [null]]],
    ["[tuple('x', 1.5)]", 'Array(Tuple(String, Float64))', [['x', 1.5]]],
    ["CAST(['a', 'b'] AS Array(Enum8('a' = 1, 'b' = 2)))", expect.any(String) as never, ['a', 'b']],
    ['sumState(1)', expect.stringContaining('AggregateFunction') as never, expect.any(String)],
  ])('%s is read as %s', async (expression, type, value) => {
    const answer = await database.query({ sql: `select ${expression} as it` }, limits)
    expect(answer.columns).toEqual([{ name: 'it', type }])
    expect(answer.rows).toEqual([[value]])
    // Clients get JSON, so values must survive a round trip.
    expect(JSON.parse(JSON.stringify(answer.rows))).toEqual(answer.rows)
  })

  test('keeps its column when names repeat or contain special characters', async () => {
    const sql = "select 1 as a, 2 as b, 1 as a, 3 as `t\tab`, 4 as `ž\n`, '' as e"
    const { columns, rows } = await database.query({ sql }, limits)
    expect(columns.map(({ name }) => name)).toEqual(['a', 'b', 'a', 't\tab', 'ž\n', 'e'])
    expect(rows).toEqual([[1, 2, 1, 3, 4, '']])
  })

  test('has a column even when there are no rows', async () => {
    const answer = await database.query({ sql: "select 1 as a, 'x' as b where 0" }, limits)
    expect(answer).toMatchObject({
      columns: [
        { name: 'a', type: 'UInt8' },
        { name: 'b', type: 'String' },
      ],
      rows: [],
    })
  })

  test('can be an empty string or a total', async () => {
    const sql = "select arrayJoin(['', 'a', '']) as it"
    expect((await database.query({ sql }, limits)).rows).toEqual([[''], ['a'], ['']])
    const totals = 'select number % 2 as a, count() as n from (select number from system.numbers'
    const answer = await database.query(
      { sql: `${totals} limit 5) group by a with totals order by a` },
      limits,
    )
    expect(answer.rows).toEqual([
      [0, 3],
      [1, 2],
    ])
    expect(answer.totals).toEqual([0, 5])
  })

  test.each<[Param, string, Cell]>([
    ['9007199254740993', '{p1:Int64}', '9007199254740993'],
    ['18446744073709551615', '{p1:UInt64}', '18446744073709551615'],
    ['1.50', '{p1:Decimal(9, 2)}', '1.50'],
    ['1.501', '{p1:Decimal(9, 2)}', '1.501'],
    ['nan', '{p1:Float64}', 'nan'],
    [1.5, '{p1:Float64}', 1.5],
    [1.5, '{p1}', 1.5],
    [true, '{p1:UInt8}', 1],
    [true, '{p1}', 1],
    [null, '{p1:String}', null],
    ['2026-01-02', 'toStartOfMonth({p1:Date})', '2026-01-01'],
    ['[1,2]', '{p1: Array(UInt8) }', [1, 2]],
    ['it\'s {p1:String} \\ " 🐘\n\t', '{p1:String}', 'it\'s {p1:String} \\ " 🐘\n\t'],
    ["it's {p1} \\' -- ", '{p1}', "it's {p1} \\' -- "],
    ["\\', (select 1) --", 'concat({p1}, {p1:String})', "\\', (select 1) --\\', (select 1) --"],
    ['a', "concat('{p1:String}', {p1}) /* {p2} */ -- {p3}", '{p1:String}a'],
  ])('is bound as a parameter: %j as %s', async (param, placeholder, value) => {
    const sql = `select ${placeholder}`
    expect((await database.query({ sql, params: [param] }, limits)).rows).toEqual([[value]])
  })

  test.each<[string, Param[], string]>([
    ['select {p2}', ['a'], 'There is no parameter for {p2}: send one for each placeholder.'],
    ['select {p1:String}', [], 'There is no parameter for {p1}: send one for each placeholder.'],
    ['select ?', ['a'], 'Not every parameter has a placeholder in the statement.'],
    ["select '{p1}'", ['a'], 'Not every parameter has a placeholder in the statement.'],
    ['select {p1}', ['a', 'b'], 'Not every parameter has a placeholder in the statement.'],
  ])('must match the placeholders: %s with %j', async (sql, params, message) => {
    await expect(database.query({ sql, params }, limits)).rejects.toMatchObject({
      kind: 'sql',
      message,
    })
  })

  test('adds up to the same totals in the demo store as on other engines', async () => {
    const sum = async (sql: string) => (await database.query({ sql }, limits)).rows
    const hundredths = 'sum(quantity * unit_price * (100 - discount_pct))'
    expect(await sum(`select ${hundredths} from order_items`)).toEqual([['196535960.3500']])
    expect(await sum('select sum(amount) from payments')).toEqual([['1553884.58']])
    expect(await sum('select count() from orders')).toEqual([[2400]])
    expect(await sum('select ean from products where id = 1')).toEqual([['9007199255425787']])
  })
})

describe('readerOf with types that the test server lacks', () => {
  test.each<[type: string, text: string, value: Cell]>(
    [
      ['Int256', '-57896044618658097711785492504343953926634992332820282019728792003956564819968'],
      ['UInt128', '7', 7],
      ['Decimal(76, 2)', '1.50'],
      ['Bool', 'true', true],
      ['Nullable(Bool)', '\\N', null],
      ['Array(Bool)', '[true,false]', [true, false]],
      ['DateTime64(6)', '2026-01-02 03:04:05.123456'],
      ["DateTime64(3, 'UTC')", '1900-01-01 00:00:00.000'],
      ['Date32', '1900-01-01'],
      ['IPv4', '127.0.0.1'],
      ['Array(IPv6)', "['::1']", ['::1']],
      [
        'Map(String, UInt64)',
        "{'a':1,'b\\'':9007199254740993}",
        { a: 1, "b'": '9007199254740993' },
      ],
      ['Map(String, UInt8)', "{'__proto__':1}", JSON.parse('{"__proto__":1}')],
      ['Map(String, UInt8)', "{'a':1,'a':2}", [['a', 1], ['a', 2]]], // biome-ignore format: pairs
      ['Map(UInt16, UInt8)', '{2024:1,2023:2}', [['2024', 1], ['2023', 2]]], // biome-ignore format: pairs
      ['Map(UInt16, UInt8)', '{2023:2,2024:1}', { '2023': 2, '2024': 1 }],
      ['Map(String, UInt8)', "{'b':1,'7':2}", [['b', 1], ['7', 2]]], // biome-ignore format: pairs
      ['Tuple(`2` UInt8, `1` UInt8)', '(5,6)', [5, 6]],
      ['Map(UInt8, Array(String))', "{1:['x']}", { '1': ['x'] }],
      ['Map(String, String)', '{}', {}],
      ['Tuple(a UInt8, `b c` Nullable(String))', '(1,NULL)', { a: 1, 'b c': null }],
      ['Tuple(a UInt8, b Tuple(c Map(String, Decimal(9, 2))))', "(1,({'x':1.50}))", { a: 1, b: { c: { x: '1.50' } } }], // biome-ignore format: one line
      ['Tuple(UInt8)', '(1,)', [1]],
      ['Nested(a UInt8, b String)', "[(1,'x')]", [{ a: 1, b: 'x' }]],
      ['LowCardinality(Nullable(String))', '\\N', null],
      ['SimpleAggregateFunction(sum, UInt64)', '5', 5],
      ['JSON', '{"a":9007199254740993}'],
      ['Variant(String, UInt8)', 'x'],
      ['Array(UInt8)', '[1,2'],
      ['Array(UInt8)', '[1 2]x'],
      ['Array(Variant(Array(UInt8), UInt8))', '[[1],2]'],
    ].map(([type, text, value = text]) => [type, text, value] as [string, string, Cell]),
  )('reads %s: %s', (type, text, value) => {
    expect(readerOf(type)(binary(text))).toEqual(value)
  })
})
