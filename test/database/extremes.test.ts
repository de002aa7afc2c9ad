import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import type { Cell } from '../../src/database/rows.ts'
import { startD1 } from '../servers/d1.ts'
import { startHrana } from '../servers/hrana.ts'
import { startPlanetScale } from '../servers/planetscale.ts'
import { startRqlite } from '../servers/rqlite.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { describeClickHouse } from '../support/clickhouse.ts'
import { describeMariaDb } from '../support/mariadb.ts'
import { open } from '../support/open.ts'
import { describePostgres } from '../support/postgres.ts'
import { makeSqliteFile } from '../support/sqlite-file.ts'

// Every type at its extremes: stored by the engine's own client, and read back exactly.

const limits = { maxRows: 100, maxBytes: 4_000_000, timeoutMs: 20_000 }
const io = { fetch, bindings: {} }

/** What is declared, what is stored as SQL, and what a query must return: the type and the value. */
type Row = readonly [declared: string, stored: string, type: string, value: Cell]

/** Reads column after column of the table `held`, and all at once, in every way there is. */
function readsAll(ways: Readonly<Record<string, Database>>, columns: readonly Row[]): void {
  describe.each(Object.entries(ways))('by %s', (_, database) => {
    test.each(columns.map((row, i) => [i, ...row] as const))(
      'c%i, %s of %s, is %s and as exact as %j',
      async (i, _declared, _stored, type, value) => {
        const answer = await database.query({ sql: `select c${i} from held` }, limits)
        expect(answer.columns).toEqual([{ name: `c${i}`, type }])
        expect(answer.rows).toEqual([[value]])
        // What a reader gets is JSON: it must come out of that as it went in.
        expect(JSON.parse(JSON.stringify(answer.rows))).toEqual(answer.rows)
      },
    )
  })
}

const tableOf = (columns: readonly Row[], more = '') =>
  `create table held (${columns.map(([declared], i) => `c${i} ${declared}`).join(', ')}) ${more};
   insert into held values (${columns.map(([, stored]) => stored).join(', ')});`

const nines = '9'.repeat(131_072)
const small = `0.${'0'.repeat(16_382)}1`
/** A letter of every plane of Unicode that has some, marks that combine, and what reads backwards. */
const planes = 'aé\u0301ﷺ\u202eא🐘𠀀\u{e0041}\u{10ffff}\ufffd\ufeff\u2028\x7f\x01'

const ofPostgres: Row[] = [
  ['int2', '-32768', 'int2', -32768],
  ['int4', '-2147483648', 'int4', -2147483648],
  ['int8', '-9007199254740991', 'int8', -9007199254740991],
  ['int8', '-9223372036854775808', 'int8', '-9223372036854775808'],
  ['numeric', `'${nines}'`, 'numeric', nines],
  ['numeric', `'${small}'`, 'numeric', small],
  ['numeric(1000, 999)', "'-0.1'", 'numeric', `-0.1${'0'.repeat(998)}`],
  ['numeric', "'NaN'", 'numeric', 'NaN'],
  ['float8', "'1.7976931348623157e308'", 'float8', Number.MAX_VALUE],
  ['float8', "'2.2250738585072014e-308'", 'float8', 2.2250738585072014e-308],
  ['float8', "'-4.9406564584124654e-324'", 'float8', -5e-324],
  ['float8', "'9007199254740993'", 'float8', 9007199254740992],
  ['float8', "'-Infinity'", 'float8', '-Infinity'],
  ['float4', "'3.4028235e38'", 'float4', 3.4028235e38],
  ['float4', "'1.4e-45'", 'float4', 1e-45],
  ['float4', "'1.1754944e-38'", 'float4', 1.1754944e-38],
  ['float4', "'16777216'", 'float4', 16777216],
  ['float4', "'-0'", 'float4', '-0'],
  ['money', "'-92233720368547758.08'", 'money', '-$92,233,720,368,547,758.08'],
  ['oid', '4294967295', 'oid', 4294967295],
  ['regclass', "'pg_class'", 'regclass', 'pg_class'],
  ['regtype', "'int4[]'", 'regtype', 'integer[]'],
  ['regproc', "'now'", 'regproc', 'now'],
  ['pg_lsn', "'FFFFFFFF/FFFFFFFF'", 'pg_lsn', 'FFFFFFFF/FFFFFFFF'],
  ['xid', "'4294967295'", 'xid', '4294967295'],
  ['xid8', "'18446744073709551615'", 'xid8', '18446744073709551615'],
  ['tid', "'(4294967295,65535)'", 'tid', '(4294967295,65535)'],
  ['text', `'${planes}'`, 'text', planes],
  ['varchar(3)', "'a  '", 'varchar', 'a  '],
  ['char(3)', "'a'", 'bpchar', 'a  '],
  ['"char"', "'\\377'", 'char', '\\377'],
  ['name', `'${'n'.repeat(63)}'`, 'name', 'n'.repeat(63)],
  ['bytea', "'\\x000102ff27225c'", 'bytea', '\\x000102ff27225c'],
  ['bit(3)', "b'010'", 'bit', '010'],
  ['bit varying', "b''", 'varbit', ''],
  ['bit(64)', "x'8000000000000001'::bit(64)", 'bit', `1${'0'.repeat(62)}1`],
  ['date', "'4714-11-24 BC'", 'date', '4714-11-24 BC'],
  ['date', "'5874897-12-31'", 'date', '5874897-12-31'],
  ['date', "'infinity'", 'date', 'infinity'],
  ['time', "'23:59:59.999999'", 'time', '23:59:59.999999'],
  ['timetz', "'24:00:00-15:59:59'", 'timetz', '24:00:00-15:59:59'],
  ['timestamp', "'4714-11-24 00:00:00 BC'", 'timestamp', '4714-11-24 00:00:00 BC'],
  ['timestamp', "'294276-12-31 23:59:59.999999'", 'timestamp', '294276-12-31 23:59:59.999999'],
  ['timestamp', "'-infinity'", 'timestamp', '-infinity'],
  ['interval', "'-178000000 years'", 'interval', '-178000000 years'],
  ['interval', "'1 mon -1 day +00:00:00.000001'", 'interval', '1 mon -1 days +00:00:00.000001'],
  ['interval', "'0'", 'interval', '00:00:00'],
  ['boolean', "'f'", 'bool', false],
  [
    'uuid',
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    'uuid',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ],
  ['inet', "'255.255.255.255'", 'inet', '255.255.255.255'],
  ['inet', "'2001:db8::1/128'", 'inet', '2001:db8::1'],
  ['cidr', "'2001:db8::/32'", 'cidr', '2001:db8::/32'],
  ['macaddr', "'08-00-2b-01-02-03'", 'macaddr', '08:00:2b:01:02:03'],
  ['macaddr8', "'08:00:2b:01:02:03:04:05'", 'macaddr8', '08:00:2b:01:02:03:04:05'],
  ['point', "'(1e308,-5e-324)'", 'point', '(1e+308,-5e-324)'],
  ['line', "'{1,-1,0}'", 'line', '{1,-1,0}'],
  ['lseg', "'[(0,0),(1,1)]'", 'lseg', '[(0,0),(1,1)]'],
  ['box', "'(1,1),(0,0)'", 'box', '(1,1),(0,0)'],
  ['path', "'[(0,0),(1,1)]'", 'path', '[(0,0),(1,1)]'],
  ['polygon', "'((0,0),(1,1),(1,0))'", 'polygon', '((0,0),(1,1),(1,0))'],
  ['circle', "'<(0,0),1.5>'", 'circle', '<(0,0),1.5>'],
  [
    'json',
    `'{"b": 1.0, "a": [1e400, -0, 12345678901234567890]}'`,
    'json',
    { b: 1, a: ['1e400', '-0', '12345678901234567890'] },
  ],
  ['jsonb', `'{"n": 0.${'1'.repeat(40)}}'`, 'jsonb', { n: `0.${'1'.repeat(40)}` }],
  ['jsonb', `'"\\\\u00e9\\\\ud83d\\\\udc18"'`.replaceAll('\\\\', '\\'), 'jsonb', 'é🐘'],
  ['jsonpath', "'$.a[*] ? (@ > 1)'", 'jsonpath', '$."a"[*]?(@ > 1)'],
  ['xml', "'<a>é</a>'", 'xml', '<a>é</a>'],
  ['tsvector', "'a:1A cat:2'", 'tsvector', "'a':1A 'cat':2"],
  ['tsquery', "'!a & (b | c:*)'", 'tsquery', "!'a' & ( 'b' | 'c':* )"],
  ['int8range', "'[-9223372036854775808,)'", 'int8range', '[-9223372036854775808,)'],
  ['numrange', "'(1.50,1.51]'", 'numrange', '(1.50,1.51]'],
  ['tstzrange', "'empty'", 'tstzrange', 'empty'],
  ['daterange', "'[2024-02-28,2024-02-29]'", 'daterange', '[2024-02-28,2024-03-01)'],
  ['numeric[]', "'{NaN,NULL,1.50}'", 'numeric[]', ['NaN', null, '1.50']],
  ['timestamptz[]', "array['infinity'::timestamptz]", 'timestamptz[]', ['infinity']],
  ['bytea[]', "array['\\x00'::bytea, null]", 'bytea[]', ['\\x00', null]],
  ['bool[]', "'{t,f,NULL}'", 'bool[]', [true, false, null]],
  [
    'text[]',
    '\'[-1:0][5:6]={{a,NULL},{"","NULL"}}\'',
    'text[]',
    '[-1:0][5:6]={{a,NULL},{"","NULL"}}',
  ],
  ['int4[]', `'${'{'.repeat(6)}1${'}'.repeat(6)}'`, 'int4[]', [[[[[[1]]]]]]],
  ['positive', '7', 'int4', 7],
  ['mood', `'a "b", c'`, 'mood', 'a "b", c'],
  ['mood[]', `array['sad', 'a "b", c']::mood[]`, 'mood[]', ['sad', 'a "b", c']],
  ['pair', `row(1, 'a,(b)')`, 'pair', '(1,"a,(b)")'],
  ['pair[]', `array[row(null, '')::pair]`, 'pair[]', ['(,"")']],
  ['text', 'null', 'text', null],
  ['text', "''", 'text', ''],
]

/** Of what not every version has: it is tried, and left out where it is not there. */
const later: Row[] = [
  ['numeric', "'-Infinity'", 'numeric', '-Infinity'],
  ['int4multirange', "'{[1,3),[5,)}'", 'int4multirange', '{[1,3),[5,)}'],
  ['nummultirange[]', "array['{}'::nummultirange]", 'nummultirange[]', ['{}']],
]

await describePostgres(
  'a value stored in PostgreSQL',
  `create type mood as enum ('sad', 'a "b", c');
   create type pair as (a integer, b text);
   create domain positive as integer check (value > 0);
   ${tableOf(ofPostgres.filter(([type]) => type !== 'money'))}
   alter table held add column dropped int; alter table held drop column dropped;`,
  (postgres) => {
    const { supabase } = postgres
    const ways = {
      TCP: open(postgres.tcp(), io),
      HTTP: open(postgres.url(), io),
      "Supabase's API": open(supabase.url('postgres'), supabase.io),
    }
    readsAll(
      ways,
      ofPostgres.filter(([type]) => type !== 'money'),
    )

    test('may be of a type that only newer versions or extensions have', async () => {
      const { rows } = await postgres.admin(
        "select current_setting('server_version_num')::int as v",
      )
      const extensions = await postgres.admin(
        "select name from pg_available_extensions where name in ('hstore', 'citext') order by name",
      )
      for (const { name } of extensions.rows) await postgres.admin(`create extension ${name}`)
      const more: Row[] = extensions.rows.map(({ name }) =>
        name === 'hstore'
          ? ['hstore', `'a=>"b, c", d=>NULL'`, 'hstore', '"a"=>"b, c", "d"=>NULL']
          : ['citext', "'Ab'", 'citext', 'Ab'],
      )
      for (const [declared, stored, type, value] of rows[0].v < 140_000
        ? more
        : [...later, ...more]) {
        for (const database of Object.values(ways)) {
          const sql = `select (${stored})::${declared} as it`
          const answer = await database.query({ sql }, limits)
          expect([answer.columns[0]?.type, answer.rows]).toEqual([type, [[value]]])
        }
      }
    })

    test('that is money is as the database prints it', async () => {
      const { rows } = await postgres.admin('select (-92233720368547758.08)::money::text as it')
      for (const database of Object.values(ways)) {
        const answer = await database.query(
          { sql: 'select (-92233720368547758.08)::money' },
          limits,
        )
        expect(answer).toMatchObject({ columns: [{ type: 'money' }], rows: [[rows[0].it]] })
      }
    })

    test('is the same in every style of intervals that a database prints', async () => {
      const name = postgres.config.database
      const sql = "select interval '1 year -2 days 03:04:05.6'"
      const read = async () => (await ways.TCP.query({ sql }, limits)).rows[0]![0]
      const usual = await read()
      expect(usual).toBe('1 year -2 days +03:04:05.6')
      for (const style of ['sql_standard', 'postgres_verbose', 'iso_8601']) {
        await postgres.admin(`alter database ${name} set intervalstyle = '${style}'`)
        const { rows } = await postgres.admin(`select (${sql.slice(7)})::text as it`)
        expect(await read()).toBe(rows[0].it)
      }
      await postgres.admin(`alter database ${name} reset all`)
    })
  },
)

const allBytes = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0')).join('')
const longest = `${'9'.repeat(35)}.${'9'.repeat(30)}`

const ofMariaDb: Row[] = [
  ['tinyint', '127', 'tinyint', 127],
  ['tinyint unsigned', '255', 'tinyint unsigned', 255],
  ['smallint', '-32768', 'smallint', -32768],
  ['smallint unsigned', '65535', 'smallint unsigned', 65535],
  ['mediumint', '-8388608', 'mediumint', -8388608],
  ['mediumint unsigned', '16777215', 'mediumint unsigned', 16777215],
  ['int', '2147483647', 'int', 2147483647],
  ['int unsigned', '4294967295', 'int unsigned', 4294967295],
  ['bigint', '9223372036854775807', 'bigint', '9223372036854775807'],
  ['bigint', '-9223372036854775808', 'bigint', '-9223372036854775808'],
  ['bigint', '-9007199254740991', 'bigint', -9007199254740991],
  ['bigint', '9007199254740992', 'bigint', '9007199254740992'],
  ['bigint unsigned', '18446744073709551615', 'bigint unsigned', '18446744073709551615'],
  ['decimal(65,30)', `'-${longest}'`, 'decimal(65,30)', `-${longest}`],
  ['decimal(65,0)', `'${'9'.repeat(65)}'`, 'decimal(65,0)', '9'.repeat(65)],
  ['decimal(38,38)', "'0'", 'decimal(38,38)', `0.${'0'.repeat(38)}`],
  ['float', '-3.40282e38', 'float', -3.40282e38],
  ['float', '1.17549e-38', 'float', 1.17549e-38],
  ['double', '-1.7976931348623157e308', 'double', -Number.MAX_VALUE],
  ['double', '2.2250738585072014e-308', 'double', 2.2250738585072014e-308],
  ['double', '0.30000000000000004', 'double', 0.30000000000000004],
  ['bit(64)', `b'${'1'.repeat(64)}'`, 'bit', `0x${'f'.repeat(16)}`],
  ['date', "'1000-01-01'", 'date', '1000-01-01'],
  ['date', "'9999-12-31'", 'date', '9999-12-31'],
  ['date', "'0000-00-00'", 'date', '0000-00-00'],
  ['datetime(6)', "'0000-00-00 00:00:00'", 'datetime(6)', '0000-00-00 00:00:00.000000'],
  ['datetime(6)', "'9999-12-31 23:59:59.999999'", 'datetime(6)', '9999-12-31 23:59:59.999999'],
  ['datetime(1)', "'2024-02-29 00:00:00.1'", 'datetime(1)', '2024-02-29 00:00:00.1'],
  ['time(6)', "'838:59:59.999999'", 'time(6)', '838:59:59.999999'],
  ['time(6)', "'-838:59:59.999999'", 'time(6)', '-838:59:59.999999'],
  ['time(6)', "'-00:00:00.000001'", 'time(6)', '-00:00:00.000001'],
  ['time(3)', "'-25:00:01.500'", 'time(3)', '-25:00:01.500'],
  ['time', "'-00:00:01'", 'time', '-00:00:01'],
  ['year', '1901', 'year', 1901],
  ['year', '2155', 'year', 2155],
  ['year', '0', 'year', 0],
  ['varchar(80)', `'${planes}'`, 'varchar', planes],
  ['varchar(9) character set latin1', "'ÿ€'", 'varchar', 'ÿ€'],
  ['varchar(9) character set utf8mb3', "'ﷺ'", 'varchar', 'ﷺ'],
  ['varchar(9) character set utf16', "'🐘'", 'varchar', '🐘'],
  ['char(3) character set ascii', "'a '", 'char', 'a'],
  ['char(3) character set binary', "'a'", 'binary', '0x610000'],
  ['tinyblob', `x'${allBytes.slice(2)}'`, 'blob', `0x${allBytes.slice(2)}`],
  ['varbinary(256)', `x'${allBytes}'`, 'varbinary', `0x${allBytes}`],
  ["enum('', 'a,b')", "''", 'enum', ''],
  ["set('x', 'y', 'ž')", "'ž,x'", 'set', 'x,ž'],
  ['mediumtext', "repeat('ž', 100000)", 'text', 'ž'.repeat(100_000)],
  [
    'linestring',
    "st_geomfromtext('linestring(0 0,1 1)')",
    'linestring',
    `0x00000000010200000002000000${'0'.repeat(32)}${'000000000000f03f'.repeat(2)}`,
  ],
  ['int', 'null', 'int', null],
]

/** What MariaDB alone has, or calls by another name than MySQL. */
const ofMariaDbAlone: Row[] = [
  ['inet6', "'ffff::ffff'", 'inet6', 'ffff::ffff'],
  [
    'uuid',
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    'uuid',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ],
  [
    'json',
    `'{"n": [1e400, 0.1, 12345678901234567890]}'`,
    'json',
    { n: ['1e400', 0.1, '12345678901234567890'] },
  ],
]

const everyMariaDb = [...ofMariaDb, ...ofMariaDbAlone]
await describeMariaDb(
  'a value stored in MariaDB',
  `set sql_mode = ''; ${tableOf(everyMariaDb, 'row_format = dynamic')}`,
  (mariadb) => {
    readsAll({ TCP: open(mariadb.url(mariadb.reader), io) }, everyMariaDb)

    test('is the same by the protocol of PlanetScale', async () => {
      const planetscale = await startPlanetScale(mariadb)
      const names = ofMariaDb.map((_, i) => `c${i}`)
      const database = open(planetscale.url(mariadb.reader), io)
      const { rows } = await database.query({ sql: `select ${names} from held` }, limits)
      await planetscale.close()
      // Its words for some types are others.
      expect(rows[0]).toEqual(ofMariaDb.map(([, , , value]) => value))
    })
  },
)

/** What is stored in a column of each affinity, and what is read; as text, reals have digits by version. */
const AFFINITIES = ['blob', 'text', 'numeric', 'integer', 'real'] as const
const ofSqlite: readonly (readonly [stored: string, ...values: Cell[]])[] = [
  ['null', null, null, null, null, null],
  ['9223372036854775807', ...one('9223372036854775807'), 2 ** 63],
  ['-9223372036854775808', ...one('-9223372036854775808'), -(2 ** 63)],
  [
    '9007199254740991',
    9007199254740991,
    '9007199254740991',
    9007199254740991,
    9007199254740991,
    9007199254740991,
  ],
  ['9007199254740993', ...one('9007199254740993'), 9007199254740992],
  ['0.1', 0.1, '0.1', 0.1, 0.1, 0.1],
  [
    '1.7976931348623157e308',
    ...Array(5)
      .fill(Number.MAX_VALUE)
      .with(1, expect.stringMatching(/^1\.7976931348623\d*e\+308$/)),
  ],
  [
    '5e-324',
    ...Array(5)
      .fill(5e-324)
      .with(1, expect.stringMatching(/^4\.940656458412\d*e-324$/)),
  ],
  ['9e999', 'Infinity', 'Inf', 'Infinity', 'Infinity', 'Infinity'],
  ['-9e999', '-Infinity', '-Inf', '-Infinity', '-Infinity', '-Infinity'],
  ['9e999 - 9e999', null, null, null, null, null],
  ['12.0', 12, '12.0', 12, 12, 12],
  ["'12.50'", '12.50', '12.50', 12.5, 12.5, 12.5],
  ["'0x10'", '0x10', '0x10', '0x10', '0x10', '0x10'],
  ["''", '', '', '', '', ''],
  [`'${planes}'`, ...Array(5).fill(planes)],
  ["x''", ...Array(5).fill("x''")],
  [`x'${allBytes}'`, ...Array(5).fill(`x'${allBytes}'`)],
]

/** As an integer beyond 2^53 is read where it is not made a real. */
function one(digits: string): Cell[] {
  return [digits, digits, digits, digits]
}

describe('a value stored in SQLite', async () => {
  const declared = AFFINITIES.map((it) => `as_${it} ${it}`)
  const setup = [
    `create table held (id integer primary key, ${declared})`,
    ...ofSqlite.map(([it], i) => `insert into held values (${[i, it, it, it, it, it]})`),
  ]
  const [libsql, d1, rqlite] = await Promise.all([
    startHrana(setup),
    startD1(setup),
    startRqlite(setup),
  ])
  const file = makeSqliteFile(setup)
  afterAll(() => {
    libsql.close()
    rqlite.close()
    d1.close()
    return file.close()
  })
  const api = {
    bindings: {},
    fetch: (url: RequestInfo | URL, init?: RequestInit) =>
      fetch(String(url).replace('https://api.cloudflare.com', `http://127.0.0.1:${d1.port}`), init),
  }
  const ways = [
    open(`libsql://127.0.0.1:${libsql.port}?authToken=${TOKEN}`, io),
    open(`d1://:${TOKEN}@an-account/a-database`, api),
    open(`rqlite://reader:${TOKEN}@127.0.0.1:${rqlite.port}`, io),
    open(file.url, file.io),
  ]
  test.each(ofSqlite.map((row, i) => [i, ...row] as const))(
    'in row %i, %s, is exact in a column of each affinity',
    async (i, _, ...values) => {
      for (const database of ways) {
        const columns = AFFINITIES.map((it) => `as_${it}`)
        const sql = `select ${columns} from held where id = ${i}`
        expect((await database.query({ sql }, limits)).rows).toEqual([values])
      }
    },
  )
})

const ofClickHouse: Row[] = [
  ['Int8', '-128', 'Int8', -128],
  ['UInt8', '255', 'UInt8', 255],
  ['Int16', '-32768', 'Int16', -32768],
  ['UInt16', '65535', 'UInt16', 65535],
  ['Int32', '-2147483648', 'Int32', -2147483648],
  ['UInt32', '4294967295', 'UInt32', 4294967295],
  ['Int64', '-9223372036854775808', 'Int64', '-9223372036854775808'],
  ['Int64', '9007199254740993', 'Int64', '9007199254740993'],
  ['UInt64', '18446744073709551615', 'UInt64', '18446744073709551615'],
  ['Float32', '3.4028234e38', 'Float32', 3.4028235e38],
  ['Float32', 'nan', 'Float32', 'nan'],
  ['Float64', '-1.7976931348623157e308', 'Float64', -Number.MAX_VALUE],
  ['Float64', '-inf', 'Float64', '-inf'],
  ['Decimal(9, 9)', "'-0.999999999'", 'Decimal(9, 9)', '-0.999999999'],
  ['Decimal(18, 0)', `'${'9'.repeat(18)}'`, 'Decimal(18, 0)', '9'.repeat(18)],
  [
    'Decimal(38, 19)',
    `'-${'9'.repeat(19)}.${'9'.repeat(19)}'`,
    'Decimal(38, 19)',
    `-${'9'.repeat(19)}.${'9'.repeat(19)}`,
  ],
  ['String', `'${planes}'`, 'String', planes],
  ['String', "'\\\\0'", 'String', '\\0'],
  ['FixedString(3)', "'é'", 'FixedString(3)', 'é\0'],
  ['Date', "'1970-01-01'", 'Date', '0000-00-00'],
  ['Date', "'2038-01-19'", 'Date', '2038-01-19'],
  ['DateTime', "'2038-01-19 03:14:07'", 'DateTime', '2038-01-19 03:14:07'],
  [
    'UUID',
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    'UUID',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ],
  ["Enum8('a' = -128, 'b' = 127)", "'b'", "Enum8('a' = -128, 'b' = 127)", 'b'],
  ["Enum16('x' = -32768, 'y' = 32767)", "'x'", "Enum16('x' = -32768, 'y' = 32767)", 'x'],
  ['Nullable(UInt64)', '18446744073709551615', 'Nullable(UInt64)', '18446744073709551615'],
  ['Nullable(String)', "''", 'Nullable(String)', ''],
  [
    'Array(Array(Int64))',
    '[[9223372036854775807, -1], []]',
    'Array(Array(Int64))',
    [['9223372036854775807', -1], []],
  ],
  ['Array(Nullable(Float64))', '[nan, NULL, 0.1]', 'Array(Nullable(Float64))', ['nan', null, 0.1]],
  [
    'Tuple(UInt64, String)',
    "(18446744073709551615, 'a\\'b')",
    'Tuple(UInt64, String)',
    ['18446744073709551615', "a'b"],
  ],
  ['LowCardinality(String)', "'a'", 'LowCardinality(String)', 'a'],
]

const [heldTable, heldValues] = [
  `create table held (${ofClickHouse.map(([type], i) => `c${i} ${type}`)}) engine = Memory`,
  `insert into held values (${ofClickHouse.map(([, stored]) => stored)})`,
]
await describeClickHouse('a value stored in ClickHouse', [heldTable, heldValues], (server) => {
  // The first day is the one that an old version shows as none.
  const values = ofClickHouse.map((it) =>
    server.isCurrent && it[1] === "'1970-01-01'"
      ? ([it[0], it[1], it[2], '1970-01-01'] as typeof it)
      : it,
  )
  readsAll({ HTTP: open(server.url('reader'), io) }, values)
})
