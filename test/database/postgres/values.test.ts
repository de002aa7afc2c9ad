import { describe, expect, test } from 'vitest'
import { readValue } from '../../../src/database/postgres/values.ts'
import type { Cell } from '../../../src/database/rows.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits = { maxRows: 100, maxBytes: 1_000_000, timeoutMs: 10_000 }

const setup = () => `
  create type mood as enum ('sad', 'a "b", c');
  create type pair as (a integer, b text);
  create domain positive as integer check (value > 0);
  create domain letters as text[];
  create schema other;
  create type other.mood as enum ('up');
`

await describePostgres('a PostgreSQL value', setup, (postgres) => {
  const io = { fetch, bindings: {} }
  const database = open(postgres.url(), io)
  const { supabase } = postgres
  const byApi = open(supabase.url('postgres'), supabase.io)
  const ways = [database, open(postgres.tcp(), io), byApi]

  test.each<[expression: string, type: string, value: Cell]>([
    ['null::int8', 'int8', null],
    ['true', 'bool', true],
    ['false', 'bool', false],
    ['(-32768)::int2', 'int2', -32768],
    ['2147483647::int4', 'int4', 2147483647],
    ['4294967295::oid', 'oid', 4294967295],
    ['9007199254740991::int8', 'int8', 9007199254740991],
    ['9007199254740992::int8', 'int8', '9007199254740992'],
    ['9223372036854775807::int8', 'int8', '9223372036854775807'],
    ['(-9223372036854775808)::int8', 'int8', '-9223372036854775808'],
    ['1e-30::numeric', 'numeric', '0.000000000000000000000000000001'],
    [
      '1234567890123456789012345678901234567890',
      'numeric',
      '1234567890123456789012345678901234567890',
    ],
    ['1.50::numeric', 'numeric', '1.50'],
    ['1.0::numeric', 'numeric', '1.0'],
    ['sum(1::int8)', 'numeric', 1],
    ['(-9007199254740991)::numeric', 'numeric', -9007199254740991],
    ['9007199254740992::numeric', 'numeric', '9007199254740992'],
    ["'{12,2.50}'::numeric[]", 'numeric[]', [12, '2.50']],
    ["'NaN'::numeric", 'numeric', 'NaN'],
    ['0.1::float8', 'float8', 0.1],
    ['0.1::float4', 'float4', 0.1],
    ['1.7976931348623157e308::float8', 'float8', Number.MAX_VALUE],
    ['5e-324::float8', 'float8', Number.MIN_VALUE],
    ["'NaN'::float8", 'float8', 'NaN'],
    ["'Infinity'::float8", 'float8', 'Infinity'],
    ["'-Infinity'::float4", 'float4', '-Infinity'],
    ["'-0'::float8", 'float8', '-0'],
    ["''", 'text', ''],
    ["'NULL'", 'text', 'NULL'],
    ["'ž🐘\n\\'", 'text', 'ž🐘\n\\'],
    ["'ab'::char(4)", 'bpchar', 'ab  '],
    ["'ab'::varchar(4)", 'varchar', 'ab'],
    ['\'x\'::"char"', 'char', 'x'],
    ["'pg_class'::name", 'name', 'pg_class'],
    [
      "'2024-01-02 03:04:05.123456+00'::timestamptz at time zone 'utc'",
      'timestamp',
      '2024-01-02 03:04:05.123456',
    ],
    ["'infinity'::timestamptz", 'timestamptz', 'infinity'],
    ["'0044-03-15 BC'::timestamp", 'timestamp', '0044-03-15 00:00:00 BC'],
    ["'294276-12-31'::date", 'date', '294276-12-31'],
    ["'-infinity'::date", 'date', '-infinity'],
    ["'24:00:00'::time", 'time', '24:00:00'],
    ["'12:00:00.000001+05:30'::timetz", 'timetz', '12:00:00.000001+05:30'],
    [
      "'1 year 2 mons 3 days 04:05:06.789'::interval",
      'interval',
      '1 year 2 mons 3 days 04:05:06.789',
    ],
    [
      "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
      'uuid',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    ],
    ["'::1/64'::inet", 'inet', '::1/64'],
    ["'10.0.0.0/8'::cidr", 'cidr', '10.0.0.0/8'],
    ["'\\x00ff'::bytea", 'bytea', '\\x00ff'],
    ["''::bytea", 'bytea', '\\x'],
    ["b'101'", 'bit', '101'],
    ["'(1,2)'::point", 'point', '(1,2)'],
    ['int4range(1, 5)', 'int4range', '[1,5)'],
    ["'empty'::tstzrange", 'tstzrange', 'empty'],
    ["'<a>b</a>'::xml", 'xml', '<a>b</a>'],
    ["'cat & dog'::tsquery", 'tsquery', "'cat' & 'dog'"],
    ["'pg_class'::regclass", 'regclass', 'pg_class'],
    ["row(1, 'a b', null)", 'record', '(1,"a b",)'],
    ["row(1, 'x')::pair", 'pair', '(1,x)'],
    ['3::positive', 'int4', 3],
    ["'{a,b}'::letters", 'text[]', ['a', 'b']],
    ['\'a "b", c\'::mood', 'mood', 'a "b", c'],
    ['\'{sad,NULL,"a \\"b\\", c"}\'::mood[]', 'mood[]', ['sad', null, 'a "b", c']],
    ["'up'::other.mood", 'other.mood', 'up'],
    ["array[row(1, 'x')::pair]", 'pair[]', ['(1,x)']],
    ["'{}'::int4[]", 'int4[]', []],
    ["'{1,NULL,3}'::int4[]", 'int4[]', [1, null, 3]],
    [
      "'{{1,2},{3,4}}'::int4[]",
      'int4[]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["'[0:1]={1,2}'::int4[]", 'int4[]', '[0:1]={1,2}'],
    ["'[2:2][0:1]={{a,b}}'::text[]", 'text[]', '[2:2][0:1]={{a,b}}'],
    [
      "array['NULL', null, '', 'a,b', '{c}', 'd\"e', 'f\\g', ' h ']",
      'text[]',
      ['NULL', null, '', 'a,b', '{c}', 'd"e', 'f\\g', ' h '],
    ],
    ['array[9007199254740993, 1]::int8[]', 'int8[]', ['9007199254740993', 1]],
    ["array['NaN', 1.5]::float8[]", 'float8[]', ['NaN', 1.5]],
    ["array['(1,2),(0,0)', '(3,4),(0,0)']::box[]", 'box[]', ['(1,2),(0,0)', '(3,4),(0,0)']],
    ["array['{\"a\": [1]}', 'null']::jsonb[]", 'jsonb[]', [{ a: [1] }, 'null']],
    ["array['null'::json, null]", 'json[]', ['null', null]],
    ['array[true, false]', 'bool[]', [true, false]],
    ['null::jsonb', 'jsonb', null],
    ["'null'::jsonb", 'jsonb', 'null'],
    ["' null '::json", 'json', 'null'],
    [`'"null"'::jsonb`, 'jsonb', '"null"'],
    [`'"{}"'::jsonb`, 'jsonb', '"{}"'],
    [`'"12"'::json`, 'json', '"12"'],
    ["'12345678901234567890'::jsonb", 'jsonb', '12345678901234567890'],
    [`'"12345678901234567890"'::jsonb`, 'jsonb', '"12345678901234567890"'],
    [`'"a \\"b\\""'::json`, 'json', 'a "b"'],
    ['\'{"a":[1,null]}\'::jsonb', 'jsonb', { a: [1, null] }],
    ['\'{"2024":9,"2023":1}\'::json', 'json', '{"2024":9,"2023":1}'],
    ['\'{"a":[{"b":1,"0":2}]}\'::jsonb', 'jsonb', { a: [{ 0: 2, b: 1 }] }],
    ['\'[{"b":1,"0":2}]\'::json', 'json', '[{"b":1,"0":2}]'],
    ['\'{"1":{"b":1},"2":2,"c":3}\'::json', 'json', { 1: { b: 1 }, 2: 2, c: 3 }],
    ['\'{"100":1,"a":2}\'::jsonb', 'jsonb', '{"a": 2, "100": 1}'],
    ['\'{"a":[1,true,null,"x"],"b":{}}\'::jsonb', 'jsonb', { a: [1, true, null, 'x'], b: {} }],
    ['\'{"n":12345678901234567890}\'::jsonb', 'jsonb', { n: '12345678901234567890' }],
    ["'[9007199254740993, 1.50, 1e2, 0.1]'::json", 'json', ['9007199254740993', 1.5, 100, 0.1]],
    ["'[1e400, 1e-400, -0, 0.0]'::json", 'json', ['1e400', '1e-400', '-0', 0]],
    ['\'{"a":1,"a":2}\'::json', 'json', '{"a":1,"a":2}'],
    [
      '\'{"a:b":"c:d \\\\\\" e","f":[{"g":1}]}\'::json',
      'json',
      { 'a:b': 'c:d \\" e', f: [{ g: 1 }] },
    ],
    ['\'{"__proto__":{"a":1}}\'::jsonb', 'jsonb', JSON.parse('{"__proto__":{"a":1}}')],
  ])('%s is read as %s', async (expression, type, value) => {
    for (const way of ways) {
      const answer = await way.query({ sql: `select ${expression} as it` }, limits)
      expect(answer.columns).toEqual([{ name: 'it', type }])
      expect(answer.rows).toEqual([[value]])
      // Clients get JSON, so values must survive a round trip.
      expect(JSON.parse(JSON.stringify(answer.rows))).toEqual(answer.rows)
    }
  })

  test('does not depend on the output settings of the database', async () => {
    const name = postgres.config.database
    const settings = ["datestyle = 'German'", "bytea_output = 'escape'", 'extra_float_digits = 0']
    for (const it of settings) await postgres.admin(`alter database ${name} set ${it}`)
    const sql = `select date '2024-02-01', '\\x00ff'::bytea, 0.1::float8 + 0.2::float8`
    for (const way of ways) {
      const { rows } = await way.query({ sql }, limits)
      expect(rows).toEqual([['2024-02-01', '\\x00ff', 0.30000000000000004]])
    }
    await postgres.admin(`alter database ${name} reset all`)
  })

  test('keeps its column when names repeat', async () => {
    const answer = await database.query({ sql: 'select 1 as a, 2 as a, 3 as "A"' }, limits)
    expect(answer.columns.map(({ name }) => name)).toEqual(['a', 'a', 'A'])
    expect(answer.rows).toEqual([[1, 2, 3]])
  })

  test('has a column even when there are no rows', async () => {
    const answer = await database
      .query({ sql: "select 1 as a, 'x'::mood as b where false" }, limits)
      .catch((it) => it)
    expect(answer.code).toBe('22P02')
    const empty = await database.query(
      { sql: "select 1 as a, 'sad'::mood as b where false" },
      limits,
    )
    expect(empty.columns).toEqual([
      { name: 'a', type: 'int4' },
      { name: 'b', type: 'mood' },
    ])
    expect(empty.rows).toEqual([])
  })

  test('can be absent from a row without columns', async () => {
    for (const way of ways) {
      const answer = await way.query({ sql: 'select from generate_series(1, 3)' }, limits)
      expect(answer).toMatchObject({ columns: [], rows: [[], [], []] })
    }
  })

  test.each<[Cell & (string | number | boolean | null), string, Cell]>([
    ['9007199254740993', 'int8', '9007199254740993'],
    [1.5, 'float8', 1.5],
    [true, 'bool', true],
    [null, 'text', null],
    ['it\'s $1 \\ " 🐘', 'text', 'it\'s $1 \\ " 🐘'],
    ['{1,NULL}', 'int4[]', [1, null]],
    ['{"a": 1}', 'jsonb', { a: 1 }],
  ])('is bound as a parameter: %j', async (param, type, value) => {
    for (const way of ways) {
      const { rows } = await way.query({ sql: `select $1::${type}`, params: [param] }, limits)
      expect(rows).toEqual([[value]])
    }
  })

  test('needs one lookup for a custom type, and none for a built-in type', async () => {
    await database.query({ sql: "select 'up'::other.mood" }, limits)
    const before = postgres.neon.requests.length
    await database.query({ sql: "select 'up'::other.mood, 1, now(), '{}'::jsonb" }, limits)
    expect(postgres.neon.requests.length).toBe(before + 1)
  })
})

describe('an invalid array', () => {
  test.each(['', 'x', '{', '{1', '{1}}', '{"a', '[0:1]', '{{1}', '{1}x', '{"a\\'])(
    'stays the text %j',
    (text) => {
      expect(readValue(text, 'int4[]')).toBe(text)
    },
  )
})

describe('a JSON document', () => {
  test.each([
    ['it is nested too deeply to be serialized', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['its objects are nested too deeply', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
    ['it repeats a name in another spelling', '{"a":1,"\\u0061":2}'],
    ['its numeric names are out of order', '{"10":{"b":1},"9":{"a":1}}'],
  ])('stays text if %s', (_, text) => {
    expect(readValue(text, 'json')).toBe(text)
  })

  test.each([
    ['a string of nine million characters', JSON.stringify(['\n"x'.repeat(2_250_000)])],
    ['half a million names', `{${Array.from({ length: 500_000 }, (_, i) => `"n${i}":0`)}}`],
  ])('with %s is read', (_, text) => {
    expect(JSON.stringify(readValue(text, 'json'))).toBe(text)
  })

  test('keeps all digits of a very long number', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`
    expect(readValue(`[${digits}]`, 'json')).toEqual([digits])
  })
})
