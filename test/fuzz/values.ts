import type { Random } from './random.ts'

/** The ways of a dialect to name values, and the places for a value in a statement. */
export interface Values {
  /** A FROM, and the names that the engine has for its contents. */
  readonly sources: readonly (readonly [from: string, ...names: string[]])[]
  /** Values without a name: `(…)`, `x[1]`. */
  readonly values: readonly string[]
  /** Calls of a refused function with the value `#`. */
  readonly calls: readonly string[]
  /** Statements with a place for a value, `#`, and a place for a FROM, `%`. */
  readonly places: readonly string[]
}

const LONG = 'abcdefghij'.repeat(6)

/** PostgreSQL gives names to values, and truncates names to 63 bytes. */
const postgres: Values = {
  sources: [
    ['users', 'users', 'public.users'],
    ['users u', 'u', '"u"', 'U', 'u.email', 'u.id'],
    ['users as "U"', '"U"'],
    ["trim('1')", 'btrim'],
    ["trim(leading from '1')", 'ltrim', '"ltrim"'],
    ["trim(trailing from '1')", 'rtrim'],
    ["cast('1' as integer)", 'int4'],
    ["cast('1' as float)", 'float8', 'FLOAT8'],
    ["cast('1' as varchar(3))", '"varchar"'],
    ["cast('1' as char)", 'bpchar'],
    ['collation for (\'1\' collate "C")', 'pg_collation_for'],
    ["coalesce(null, '1'::text)", '"coalesce"', 'coalesce'],
    ["greatest('1', '2')", '"greatest"'],
    ["normalize('1')", '"normalize"'],
    ["substring('123' from 1 for 2)", '"substring"', 'substring'],
    ["overlay('123' placing '4' from 1)", '"overlay"'],
    ["position('1' in '21')", '"position"', 'position'],
    ["extract(year from date '2026-01-01')", '"extract"', 'extract'],
    ['current_date', '"current_date"'],
    ['current_user', '"current_user"', 'current_user'],
    ['session_user', '"session_user"'],
    ['xmlelement(name a)', '"xmlelement"', 'xmlelement'],
    ["xmltable('/a' passing xml '<a/>' columns a text path '.')", '"xmltable"', 'xmltable'],
    ['json_each(\'{"a": 1}\')', 'json_each', 'json_each.key', 'json_each.value'],
    ["rows from (unnest(array['1']), generate_series(1, 2))", 'unnest'],
    ['generate_series(1, 2) as g(n)', 'g', 'g.n', 'n'],
    ['generate_series(1, 2) with ordinality', 'generate_series', 'ordinality'],
    ["(values (1, '1')) as v", 'v', 'v.column1', 'column2'],
    ["(select '1'::text as c) as s(d)", 's', 's.d', '(s).d'],
    ['(users join orders using (id)) as j', 'j', 'j.id'],
    ['users join orders using (id) as k', 'k', 'users', 'orders'],
    [`users as ${LONG}xyzw`, `${LONG}xyz`],
    [`users as "${'é'.repeat(40)}"`, `"${'é'.repeat(31)}"`],
    ['users as käse', 'käse', '"käse"'],
    ['users as "select", orders as "from"', '"select"', '"from"'],
    ["lateral trim('1')", 'btrim'],
    ["users, lateral trim('1')", 'btrim', 'users'],
    ["to_regclass('s') as l", 'l', '"l"'],
    ["users, to_regclass('s') users_", 'users_', 'users'],
    ["cast('s' as regclass)", 'regclass'],
    ["(select 's'::regclass as c) l", 'l', 'l.c'],
    ["rows from (to_regclass('s')) users", 'users'],
    ["users u, lateral (select u_.nextval from to_regclass('s') u_) l", 'u', 'u_', 'l'],
    ['pg_catalog.pg_class', 'pg_class', 'pg_catalog.pg_class'],
    ['pg_catalog.pg_class as c', 'c', 'c.relname'],
  ],
  values: [
    "('1'::text)",
    "(array['1', '2'])[1]",
    '(row(1, 2))',
    "(select '1'::text)",
    '(1)',
    "(case when true then '1'::text end)",
    '(current_user)',
    "(array(select '1'::text))[1]",
    "(cast('1' as text))",
    '(xmlelement(name a))',
    '(array[1, 2])[1:2]',
  ],
  calls: [
    ...['#.pg_marker', '#."pg_marker"', '# . pg_marker', '#./* x */pg_marker', '#.PG_Marker'],
    ...['#.\n"pg_marker"', '(#).pg_marker', '((#)).pg_marker', 'pg_marker(#)', '"pg_marker"(#)'],
    ...['public.pg_marker(#)', '#.pg_marker::text', '(#.pg_marker)', 'lower(#.pg_marker)'],
    ...['#.pg_marker || #.pg_marker', 'trim(from #.pg_marker)', 'trim(both #.pg_marker)'],
    ...['#.pg_marker is distinct from #.pg_marker', 'array[#.pg_marker]', 'row(#.pg_marker, 1)'],
    ...['substring(#.pg_marker from 1)', 'extract(year from #.pg_marker::date)'],
    ...[
      'coalesce(null, #.pg_marker)',
      '(select #.pg_marker)',
      'xmlelement(name from, #.pg_marker)',
    ],
    ...['xmlforest(#.pg_marker as table, 1 as join)', 'array[1, #.pg_marker::int]'],
    ...['#.nextval', '# . "nextval"', '(#).nextval', 'lower(#.nextval)', '#.http', '#.unschedule'],
    ...['treat(# as pg_marker)', 'Treat /* ( */ (# as public."pg_marker")'],
  ],
  places: [
    ...['select # from %', 'select 1 from % where # is not null', 'select 1 from % order by #'],
    ...['select 1 from % order by 1, #', 'select count(*) from % group by #'],
    ...['select count(*) from % group by 1::int, #', 'select 1 from % having count(#) > 0'],
    ...['select 1 as from, # from %', 'select 1 join, # from %', 'select 1 table, # from %'],
    ...['select distinct on (#) 1 from %', 'select case when # is null then 1 end from %'],
    ...['select count(*) filter (where # is null) from %', 'with c as (select # from %) table c'],
    ...["select string_agg('1', ',' order by #) from %", 'select rank() over (order by #) from %'],
    ...['select rank() over w from % window w as (partition by 1, #)', 'values (1), (1)'],
    ...['select * from %, lateral (select #) x', 'select * from %, lateral (values (#)) x'],
    ...[
      'select * from %, lateral unnest(array[#]) x',
      'select 1 from % union all (select # from %)',
    ],
    ...[
      'select * from % join orders o on # is not null',
      'select * from % where exists (select #)',
    ],
    ...['select * from % join orders o on array[1, 2] = array[1, (#)::int], users z'],
    ...['select * from %, trim(from #) y', 'select * from % left join lateral trim(#) t on true'],
    ...['select (select # from % limit 1)', 'select array(select # from %)', 'select 1 limit #'],
    ...['select 1 from % limit (select length(#))', 'select * from (select # from %) q, orders'],
    ...[
      'select * from (values ((select # from % limit 1))) q',
      'select 1 from % where 1 in (1, #)',
    ],
    ...['with recursive r as (select 1 as n union all select n from r, % where # is null) table r'],
    ...['select 1 from users y, (select # from %) q', 'explain select # from %'],
    ...['select * from users y where (id, email) in (select 1, # from %)', 'table orders'],
    ...['select * from % tablesample bernoulli (1), users y where # is null'],
    ...['select 1 from % join (select true as as) t on t.as group by 1, #'],
    ...['select 1 as as from % join (select true as as) t on t.as order by 1, #'],
  ],
}

/** SQLite ignores the case of names, and some operators call functions. */
const sqlite: Values = {
  sources: [
    ['users', 'users.email', 'email'],
    ['users as u', 'u.email', '"u"."email"', '[u].[email]', '`u`.`email`'],
    ["json_each('[1]')", 'json_each.value', 'value'],
    ['(select 1 as c) as s', 's.c', 'c'],
  ],
  values: ["'1'", '(1)', "x'31'", '(select 1)', 'cast(1 as text)'],
  calls: [
    ...['readfile(#)', '"readfile"(#)', '[READFILE](#)', '`readFile` (#)', 'readfile/**/(#)'],
    ...['Writefile(#, 1)', 'edit(#)', 'eval(#)', '(readfile(#))', 'readfile(#) over ()'],
    ...['readfile(distinct #)', 'readfile(# order by 1)', 'readfile(#) filter (where 1)'],
  ],
  places: [
    ...['select # from %', 'select 1 from % where #', 'select 1 from % order by #'],
    ...['select count(*) from % group by #', 'select count(*) from % group by 1 having #'],
    ...['select case # when 1 then 1 end from %', 'with c as (select # from %) select * from c'],
    ...['select * from % join orders on #', 'values ((select # from %))', 'select 1 limit #'],
    ...['select sum(1) over (partition by #) from %', 'select 1 where exists (select # from %)'],
    ...['select sum(1) filter (where #) from %', 'select 1 in (select # from %)'],
    ...[
      'select * from (select # from %)',
      'select 1 union select # from %',
      'select # collate nocase from %',
    ],
    ...[
      'with eval(a) as (select 1) select # from %, eval',
      'select 1 from % window w as (order by #)',
    ],
  ],
}

/** MariaDB finds a function by any name that is equal in its collation. */
const mysql: Values = {
  sources: [
    ['users', 'users.email', 'email'],
    ['users as u', 'u.email', '`u`.`email`'],
    ['(select 1 as c) as s', 's.c', 'c'],
    ["json_table('[1]', '$[*]' columns (c int path '$')) as j", 'j.c'],
  ],
  values: ["'1'", '(1)', "x'31'", '(select 1)', 'cast(1 as char)', "_utf8mb4'1'"],
  calls: [
    ...['sys_eval(#)', '`sys_eval`(#)', 'SYS_EVAL (#)', 'sys_eval/**/(#)', '`sys_eval` (#)'],
    ...['sýs_eval(#)', '`sys_evål`(#)', 'ſys_eval(#)', 'ßys_eval(#)', 'SYS_ÉVAL(#)'],
    ...['sys_ėval (#)', 'ŠYS_eval(#)', '(sys_eval(#))', 'concat(sys_eval(#))', '-sýs_eval(#)'],
  ],
  places: [
    ...['select # from %', 'select 1 from % where #', 'select 1 from % order by #'],
    ...['select count(*) from % group by #', 'select count(*) from % group by 1 having #'],
    ...['select case # when 1 then 1 end from %', 'with c as (select # from %) select * from c'],
    ...['select * from % join orders o on #', 'values ((select # from % limit 1))'],
    ...['select sum(1) over (partition by #) from %', 'select 1 where exists (select # from %)'],
    ...[
      'select if(#, 1, 2) from %',
      'select 1 in (select # from %)',
      'select * from (select # from %) q',
    ],
    ...['select 1 union select # from %', 'select group_concat(1 order by #) from %'],
    ...['with sys_eval(a) as (select 1) select # from %, sys_eval'],
  ],
}

/** ClickHouse also calls a function by its bare name, as the first value of another call or after APPLY. */
const clickhouse: Values = {
  sources: [
    ['users', 'users.email', 'email'],
    ['users as u', 'u.email', '`u`.`email`', '"u"."email"'],
    ['(select 1 as c) as s', 's.c', 'c'],
    ['numbers(2)', 'number', 'numbers.number'],
  ],
  values: ["'1'", '(1)', '[1]', '(select 1)', 'cast(1 as String)', "tuple('1').1", '1::String'],
  calls: [
    ...[
      'sleep(#)',
      '`sleep`(#)',
      '"sleep" (#)',
      'sleep/**/(#)',
      'Sleep(#)',
      'file(#)',
      '(sleep(#))',
    ],
    ...['arrayMap(sleep, [#])', 'arrayMap((sleep), [#])', 'arrayMap(x -> sleep(x), [#])'],
    ...['arrayMap(all `sleep`, [#])', 'arrayMap(+sleep, [#])', 'arrayMap(sleep as f, [#])'],
    ...['arrayMap()("sleep", [#])', 'arrayMap((+(sleep as f)), [#])', 'arrayFilter/**/(sleep, #)'],
    ...[
      'dictGet(#, 1, 1)',
      'sleep(#) as a',
      'cast(sleep(#) as String)',
      '[sleep(#)][1]',
      '-sleep(#)',
    ],
  ],
  places: [
    ...['select # from %', 'select 1 from % where #', 'select 1 from % order by #'],
    ...['select count() from % group by #', 'select count() from % group by 1 having #'],
    ...['select case # when 1 then 1 end from %', 'with c as (select # from %) select * from c'],
    ...['with # as c select c from %', 'select * from % join orders on #', 'select 1 limit #'],
    ...['select sum(1) over (partition by #) from %', 'select # ? 1 : 2 from %', 'from % select #'],
    ...[
      'select 1 in (select # from %)',
      'select * from (select # from %)',
      'select * from view(select #)',
    ],
    ...[
      'select 1 union all select # from %',
      'select * replace(# as id) from %',
      'select {a: #} from %',
    ],
    ...[
      'select * apply(sleep) from %',
      'select * apply sleep from %',
      'select columns(id) apply(x -> #)',
    ],
    ...[
      'select 1 from % prewhere #',
      'select 1 from % array join [#] as z',
      'select 1 from % qualify #',
    ],
  ],
}

/** The values of each engine, by name. */
export const VALUES = { postgres, sqlite, mysql, clickhouse } as const

/** A statement that calls a refused function, with a value in a place of the dialect. */
export function calling({ sources, values, calls, places }: Values, random: Random): string {
  const [from, ...names] = random.pick(sources)
  const value = random.pick(random.chance(0.8) ? names : values)
  const call = random.pick(calls).replaceAll('#', () => value)
  return random
    .pick(places)
    .replaceAll('%', () => from)
    .replaceAll('#', () => call)
}
