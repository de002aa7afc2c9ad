import { describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/clickhouse/rules.ts'
import { attacks, benign, exhausting } from '../../support/attacks.ts'
import { refuse } from '../../support/guard.ts'

const corpus = attacks('clickhouse').filter(({ expect }) => expect === 'rejected')

describe('the guard with the ClickHouse corpus', () => {
  test.each(corpus.filter(({ name }) => !exhausting.has(name)))(
    'refuses $name: $why',
    ({ sql }) => {
      expect(refuse(sql, rules)).toMatch(/^[A-Z\w].*\.$/)
    },
  )

  test.each(corpus.filter(({ name }) => exhausting.has(name)))(
    'leaves $name, which only costs too much, to the engine: $why',
    ({ sql }) => {
      expect(refuse(sql, rules)).toBeUndefined()
    },
  )

  test.each(benign('clickhouse'))('allows $name: $why', ({ sql }) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })
})

describe('the guard for ClickHouse', () => {
  test.each([
    ...["SELECT * FROM `url`('http://a/')", 'SELECT * FROM "File"(\'a\')', "DESC url('http://a/')"],
    ...["DESCRIBE TABLE s3Cluster('a', 'b')", "EXPLAIN SELECT * FROM remoteSecure('a', b.c)"],
    ...["SELECT file('secret.txt')", "SELECT dictGetString('d', 'a', toUInt64(1))"],
    ...["SELECT hasColumnInTable('host', 'a', 'b', 'c')", "SELECT * FROM icebergS3('a')"],
    ...["SELECT getClientHTTPHeader('Authorization')", "SELECT * FROM deltaLakeLocal('/etc')"],
    ...["SELECT * FROM merge('shop', '.*')", "SELECT * FROM system.zookeeper WHERE path = '/'"],
    ...["SELECT * FROM azureBlobStorageCluster('a')", "SELECT catboostEvaluate('/m', 1)"],
    ...['SELECT * FROM (SELECT 1 SETTINGS max_threads = 1)', 'SELECT 1 FORMAT Null'],
    ...["SELECT 1 INTO OUTFILE 'a'", 'SELECT 1 PARALLEL WITH DROP TABLE users'],
    ...['WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x', 'EXPLAIN ANALYZE SELECT 1'],
    ...['KILL QUERY WHERE 1', 'USE system', 'CHECK TABLE users', 'WATCH v'],
    ...["SELECT * FROM eval('SELECT 1')", "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))"],
    ...["SELECT hasColumnInTable('a', 'b', 'c', d)", 'SELECT hasColumnInTable(*) FROM t'],
    ...["SELECT hasColumnInTable(untuple(('h', 'a', 'b')), 'c')", 'SELECT hasColumnInTable()'],
    ...[
      "FROM url('http://a/') SELECT 1",
      'FROM t SELECT 1 SETTINGS max_threads = 1',
      'FROM t INSERT INTO u',
    ],
    ...['SHOW SETTINGS ILIKE 1 SETTINGS readonly = 0', 'SHOW TABLES SETTINGS readonly = 0'],
    ...['EXPLAIN FROM t SELECT 1 INTO OUTFILE 1', "EXPLAIN FROM file('a') SELECT 1"],
    "SELECT 1 // '\n, file('secret.txt') -- '",
  ])('refuses %s', (sql) => {
    expect(refuse(sql, rules)).toMatch(/not allowed here|can run|without ANALYZE/)
  })

  test('refuses a nested comment, which old versions parse differently', () => {
    expect(refuse("SELECT 1 /* /* */ ' */, file('secret.txt') -- '", rules)).toBe(
      'Leave out /* within a comment.',
    )
    expect(refuse('SELECT 1 /* a */ // b\n + 1', rules)).toBeUndefined()
  })

  test.each([
    ...['SELECT arrayMap(sleep, [3])', "SELECT arrayMap(file, ['secret.txt'])"],
    ...[
      'SELECT arrayMap(ALL sleep, [3])',
      'SELECT arrayMap(+sleep, [3])',
      'SELECT arrayMap(ALL + + sleep, [3])',
    ],
    ...['SELECT arrayMap((sleep AS f), [3])', 'SELECT arrayMap((((sleep AS f)) AS g), [3])'],
    ...[
      'SELECT arrayMap(+(+sleep AS f), [3])',
      'SELECT arrayMap(ALL (sleep), [3])',
      'SELECT arrayMap()(sleep, [3])',
    ],
    ...[
      'SELECT arrayMap(+(`sleep`), [3])',
      'SELECT arrayTopK(sleep, [3])',
      'FROM t SELECT arrayMap(+ ALL sleep, [3])',
    ],
    ...['SELECT arrayFilter((`Sleep`), [1])', 'SELECT arrayFold(((sleep)), [1], 1)'],
    ...[
      "SELECT mapApply(getClientHTTPHeader AS f, map('a', 'b'))",
      'SELECT arrayMap(/**/sleep, a)',
    ],
  ])('refuses %s, which passes a forbidden function by name', (sql) => {
    expect(refuse(sql, rules)).toMatch(/\(\) is not allowed here\.$/)
  })

  test.each([
    ...['SELECT arrayMap(file -> file + 1, a)', 'SELECT arrayMap((url, x) -> x, a, b)'],
    ...['SELECT arrayMap((url) -> url, a)', 'SELECT arraySum(url), arraySlice(file, 1)'],
    ...['SELECT arrayMap(x -> x, url)', 'SELECT arrayMap(lower, url)'],
    ...['SELECT arrayMap(x -> x + url, a)', 'SELECT arraySum(+url)', 'SELECT arraySum((url))'],
    ...['SELECT plus(+url, 1)', 'SELECT count(ALL url), countIf(DISTINCT url, 1)'],
  ])('allows %s, which passes no forbidden function by name', (sql) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })

  test.each([
    ...["SHOW SETTINGS ILIKE '%max%'", "show changed settings like 'max%'", 'FROM t SELECT a'],
    ...['FROM t AS x JOIN u USING a SELECT a WHERE 1 LIMIT 1', 'EXPLAIN FROM t SELECT a'],
    ...["SELECT hasColumnInTable('shop', 't', 'a')", 'SELECT update, eval FROM t'],
  ])('allows %s, which only reads', (sql) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })

  test.each(['SELECT 1 FORMAT JSON', 'SELECT 1 SETTINGS max_threads = 1'])(
    'suggests leaving the last clause out of %s',
    (sql) => {
      expect(refuse(sql, rules)).toMatch(/; leave that clause out: the answer has its own form\.$/)
    },
  )

  test.each([
    ["SELECT 'a\\', 1", 'an escaped quote that leaves the string open'],
    ["SELECT ‘'’, * FROM url('http://a/') --'", 'typographic quotes, which are quotes there'],
    ['SELECT `a\\`, * FROM users', 'a backslash in a name'],
    ['SELECT "u\\x72l" FROM t', 'an escape in a name'],
    ["SELECT $ $ ' $ $, url('http://a/')", 'a heredoc whose tag is a space'],
    ["SELECT a$$, ' $$", 'a heredoc or a name'],
    ['SELECT a\u00a0FROM t', 'a no-break space'],
    ['SELECT 1 − 2', 'a Unicode minus sign'],
  ])('cannot read %s: %s', (sql) => {
    expect(refuse(sql, rules)).toMatch(/not closed|Quote names|backslashes/)
  })

  test.each([
    ...["SELECT 'it\\'s; DROP TABLE users' AS s", "SELECT $$; DROP $$ AS a, $x$'$x$ AS b"],
    ...[
      'SELECT 1 # DROP TABLE users',
      "SELECT format('{} {}', 'a', 'b')",
      'SELECT `format` FROM t',
    ],
    ...["SELECT 'привет', `имя` FROM t -- имя", 'SELECT x.format, s.settings FROM t x, u s'],
    ...['SELECT sumMerge(state), countIf(a ? b : c) FROM t', 'SELECT t.1, t.1.2, m[1] FROM t'],
    ...['SELECT * EXCEPT (a) REPLACE (b + 1 AS b) FROM t', 'EXPLAIN PIPELINE graph = 1 SELECT 1'],
    ...['EXPLAIN SELECT 1', 'EXPLAIN header = 1, actions = 1 SELECT 1', 'EXPLAIN AST SELECT 1'],
    ...['SHOW CREATE TABLE users', 'DESC users', 'EXISTS TABLE users', 'WITH 1 AS a SELECT a'],
    ...['SELECT a FROM t SAMPLE 0.1 PREWHERE b LIMIT 1 BY c', 'SELECT groupArray(5)(a) FROM t'],
    ...['WITH totals AS (SELECT 1) SELECT * FROM totals', 'SELECT a, 1 GROUP BY a WITH TOTALS'],
    ...['SELECT * FROM numbers(10)', "SELECT {p1:String}, {p2:Array(UInt8)}, {'a': 1}"],
  ])('allows %s', (sql) => {
    expect(refuse(sql, rules)).toBeUndefined()
  })
})
