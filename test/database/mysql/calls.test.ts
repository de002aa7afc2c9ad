import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/mysql/rules.ts'
import { words } from '../../../src/database/words.ts'
import { MARKER, openMariaDbParser } from '../../fuzz/mariadb-parser.ts'
import { refuse } from '../../support/guard.ts'
import { orNone } from '../../support/mariadb.ts'

/** Geometry functions, each also with the prefix `st_`. */
const GEOMETRY = words(
  'area asbinary astext aswkb aswkt boundary buffer centroid contains convexhull coveredby',
  'crosses dimension disjoint endpoint envelope equals exteriorring geohash geomcollfromtext',
  'geomcollfromwkb geometrycollectionfromtext geometrycollectionfromwkb geometryfromtext',
  'geometryfromwkb geometryn geometrytype geomfromtext geomfromwkb interiorringn intersects',
  'isclosed isempty isring issimple isvalid latfromgeohash linefromtext linefromwkb',
  'linestringfromtext linestringfromwkb longfromgeohash mlinefromtext mlinefromwkb mpointfromtext',
  'mpointfromwkb mpolyfromtext mpolyfromwkb multilinestringfromtext multilinestringfromwkb',
  'multipointfromtext multipointfromwkb multipolygonfromtext multipolygonfromwkb numgeometries',
  'numinteriorrings numpoints overlaps pointfromgeohash pointfromtext pointfromwkb pointn',
  'pointonsurface polyfromtext polyfromwkb polygonfromtext polygonfromwkb simplify srid',
  'startpoint touches validate within x y',
)

/**
 * The functions of MariaDB up to 12.2 that the guard allows, from its grammar, its lexer and its registries.
 * Each was reviewed: it only computes, or it returns public information about the server or the session.
 */
const HARMLESS = words(
  'abs acos add_months adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg bin',
  'bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char char_length character',
  'character_length charset chr coalesce coercibility collation column_add column_check',
  'column_create column_delete column_exists column_get column_json column_list compress concat',
  'concat_operator_oracle concat_ws connection_id conv convert convert_tz cos cot count crc32',
  'crc32c cume_dist curdate current_date current_path current_role current_time current_timestamp',
  'current_user curtime database date date_add date_format date_sub datediff datetime day dayname',
  'dayofmonth dayofweek dayofyear decimal decode decode_histogram decode_oracle degrees',
  'dense_rank des_decrypt des_encrypt elt encode exists exp export_set extract field',
  'find_in_set first_value floor format format_bytes format_pico_time found_rows from_base64',
  'from_days from_unixtime geometrycollection get_format glength greatest group_concat hex hour',
  'if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_free_lock is_ipv4',
  'is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock isnull json_array json_array_append',
  'json_array_insert json_array_intersect json_arrayagg json_compact json_contains',
  'json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert',
  'json_key_value json_keys json_length json_loose json_merge json_merge_patch',
  'json_merge_preserve json_normalize json_object json_object_filter_keys json_object_to_array',
  'json_objectagg json_overlaps json_pretty json_query json_quote json_remove json_replace',
  'json_schema_valid json_search json_set json_table json_type json_unquote json_valid json_value',
  'lag last_day last_insert_id last_value lastval lcase lead least left length lengthb',
  'like_range_max like_range_min linestring ln localtime localtimestamp locate log log10 log2',
  'lower lpad lpad_oracle ltrim ltrim_oracle make_set makedate maketime max md5 median',
  'microsecond mid min minute mod month monthname months_between multilinestring multipoint',
  'multipolygon name_const natural_sort_key now nth_value ntile nullif nvl nvl2 oct octet_length',
  'old_password ord password percent_rank percentile_cont percentile_disc period_add period_diff',
  'pi point polygon position pow power quarter quote radians rand random_bytes rank regexp_instr',
  'regexp_replace regexp_substr repeat replace replace_oracle reverse right round row row_count',
  'row_number rownum rpad rpad_oracle rtrim rtrim_oracle schema schemas sec_to_time second',
  'session_user sformat sha sha1 sha2 sign sin soundex space sqrt std stddev stddev_pop',
  'stddev_samp str_to_date strcmp subdate substr substr_oracle substring substring_index subtime',
  'sum sys_guid sysdate system_user tan time time_format time_to_sec timediff timestamp',
  'timestampadd timestampdiff to_base64 to_char to_date to_days to_number to_seconds trim',
  'trim_oracle trunc truncate ucase uncompress uncompressed_length unhex unix_timestamp',
  'upper user utc_date utc_time utc_timestamp uuid uuid_short uuid_v4 uuid_v7 value var_pop',
  'var_samp variance vec_distance vec_distance_cosine vec_distance_euclidean vec_fromtext',
  'vec_totext version week weekday weekofyear weight_string year yearweek',
  ...GEOMETRY,
  ...GEOMETRY.map((it) => `st_${it}`),
  'st_asgeojson st_collect st_difference st_distance st_distance_sphere st_geomfromgeojson',
  'st_intersection st_length st_relate st_symdifference st_union',
  'mbrcontains mbrcoveredby mbrdisjoint mbrequal mbrequals mbrintersects mbroverlaps mbrtouches',
  'mbrwithin',
)

/** The other functions. They write, lock, wait, read files, or compute for as long as an argument requests. */
const REFUSED = words(
  'updatexml benchmark binlog_gtid_pos default encrypt extractvalue get_lock kdf load_file master_gtid_wait',
  'master_pos_wait nextval release_all_locks release_lock setval sleep wsrep_last_seen_gtid',
  'wsrep_last_written_gtid wsrep_sync_wait_upto_gtid',
)

/** Words after a query that only shape its result. */
const CLAUSES = words(
  'except fetch from group having intersect limit offset order procedure rows union where window',
  'and between collate cross div force ignore in inner is join left like mod natural not on or',
  'regexp right rlike sounds straight_join use using xor',
)

/** Words after a query that make it write or lock, with the rest of their clause. */
const WRITING: Readonly<Record<string, readonly string[]>> = {
  for: ['for update', 'for update nowait', 'for update wait 1', 'for update skip locked'],
  into: ['into @x', "into outfile '/tmp/x'", "into dumpfile '/tmp/x'"],
  lock: ['lock in share mode', 'lock in share mode nowait'],
}

/** Beginnings of a statement after which a clause can follow, but not a name. */
const QUERIES = [
  ...[
    'select a x',
    'select a from t x',
    'select a from t x join t y',
    'select a from (select 1) x',
  ],
  ...['select a from t x where a = b', 'select a x group by a asc', 'select a x having a = b'],
  ...['select a x group by a with rollup', 'select a from t x window w as ()', 'values (1)'],
  ...['select a x order by a desc', 'select a x limit 1', 'select a x limit 1 offset 1'],
  ...['select a x fetch first row only', 'select a x union select a x', '(select a x)'],
  ...['select a x union (select a x)', 'with x as (select 1) select a x'],
  'select a x procedure analyse()',
]

/** SHOW statements that return only what everyone, or the role, may see. */
const SHOWN = words(
  'all analyze authors binary char character charset collation columns contributors create databases',
  'desc describe engine engines errors events explain fields full function global index indexes keys',
  'local master open package plugins privileges procedure processlist profile profiles replica',
  'schemas session slave status storage table tables triggers variables warnings',
)
const SHOWN_CREATED = words(
  'database event function package procedure schema sequence table trigger view',
)

const refused = (text: string) => refuse(text, rules) !== undefined

test('functions that only compute are allowed', () => {
  expect(HARMLESS.filter((name) => refused(`select ${name}(a)`))).toEqual([])
})

describe.each(REFUSED)('the function %s', (name) => {
  const accented = name.replace('e', 'é')
  const calls = [name, name.toUpperCase(), `\`${name}\``, `x.${name}`, `x . \`${name}\``, accented]
    .flatMap((it) => [`${it}(a)`, `${it} (a)`, `${it}/* ( */(a)`, `${it} # (\n (a)`])
    .flatMap((it) => [it, `coalesce(${it})`, `(${it})`, `a in (1, ${it})`, `@x := ${it}`])
  const places = [
    ...['select #', 'select 1 from t where #', 'select 1 from t order by #', 'values (#)'],
    ...[
      'select a from t group by a having #',
      'select 1 from t join u on #',
      'show tables where #',
    ],
    ...[
      'select 1 limit 1 union select #',
      'with x as (select #) select 1 from x',
      'explain select #',
    ],
    ...[
      'select case when # then 1 end',
      'select sum(a) over (order by #) from t',
      'select (select #)',
    ],
    ...[
      'select 1 as into, #',
      'select 1 from t as x, (select #) y',
      'select group_concat(a order by #)',
    ],
  ]
  test('is refused in every form of a call', () => {
    const texts = places.flatMap((place) => calls.map((it) => place.replace('#', () => it)))
    expect(texts.filter((it) => !refused(it)).slice(0, 10)).toEqual([])
  })
})

const parser = await orNone(openMariaDbParser)
if (!parser) describe.skip('the grammar of MariaDB', () => test('waits for a MariaDB', () => {}))
else {
  describe(`the grammar of ${parser.version}`, () => {
    afterAll(() => parser.close())

    const known = new Set([...HARMLESS, ...REFUSED])
    /** The functions that allowed expressions call, each with one such expression. */
    const calls = new Map<string, string>()
    const through: string[] = []
    let marked = 0

    beforeAll(async () => {
      for await (const expression of parser.expressions()) {
        const found = await parser.parsed(expression)
        if (found === undefined) continue
        for (const name of ['a', 'b', 'c']) {
          const text = expression.replace(new RegExp(`\\b${name}\\b`), MARKER)
          if (text === expression) continue
          marked++
          if (refused(`select ${text}`)) continue
          if ((await parser.parsed(text))?.includes(MARKER)) through.push(text)
        }
        if (refused(`select ${expression}`)) continue
        for (const name of found) calls.set(name, expression)
      }
    }, 600_000)

    test('has only functions that were reviewed', () => {
      expect(parser.functions.filter((it) => !known.has(it))).toEqual([])
      expect(parser.functions.length).toBeGreaterThan(250)
    })

    test('calls only harmless functions in expressions that the guard allows', () => {
      expect([...calls].filter(([name]) => !HARMLESS.includes(name))).toEqual([])
      // These have their own syntax: `previous value for a`, `a sounds like b`.
      for (const name of ['lastval', 'soundex']) expect([...calls.keys()]).toContain(name)
    })

    test('calls no refused function by its name without parentheses', () => {
      expect(through.slice(0, 10)).toEqual([])
      expect(marked).toBeGreaterThan(1_000)
    })

    test.each(QUERIES)('has only reviewed clauses after %s', async (query) => {
      expect(await parser.begins(query)).toBe(true)
      for (const word of parser.keywords) {
        if (!(await parser.begins(`${query} ${word}`))) continue
        expect([...CLAUSES, ...Object.keys(WRITING)]).toContain(word)
        for (const clause of WRITING[word] ?? []) {
          expect(await parser.begins(`${query} ${clause}`), clause).toBe(true)
          expect(refused(`${query} ${clause}`), `${query} ${clause}`).toBe(true)
        }
      }
    })

    test.each([
      ['show', SHOWN],
      ['show create', SHOWN_CREATED],
    ])('has only reviewed or refused words after %s', async (show, harmless) => {
      for (const word of parser.keywords) {
        if (!(await parser.begins(`${show} ${word}`)) || harmless.includes(word)) continue
        expect.soft(refused(`${show} ${word} events x`), `${show} ${word}`).toBe(true)
      }
      for (const word of harmless) expect(refused(`${show} ${word} x`), word).toBe(false)
    })
  })
}
