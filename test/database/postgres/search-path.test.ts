import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import { fingerprint } from '../../../src/database/index.ts'
import { diagnosis, readEndpoints } from '../../../src/gateway/index.ts'
import { type NeonServer, startNeon } from '../../servers/neon.ts'
import { type SupabaseServer, startSupabase } from '../../servers/supabase.ts'
import { endpointBefore, resultOf, structureOf } from '../../support/endpoint.ts'
import { ask, MODERN, requestOf } from '../../support/mcp.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

/**
 * An attacker who may create functions, operators and types in a schema on the search path tries to get them
 * called through a superuser's endpoint. Each one that is called adds its name to `marks`, on a separate connection.
 */
const setup = (reader: string) => `
  create extension citext;
  create schema marked;
  create extension dblink schema marked;
  create table marked.marks (name text);
  create function marked.mark(name text) returns text language plpgsql
    set search_path = pg_catalog as $$ begin
      perform marked.dblink_exec('host=127.0.0.1 port=' || current_setting('port') || ' user=postgres dbname='
        || current_database(), format('insert into marked.marks values (%L)', name));
      return name;
    end $$;

  create type mood as enum ('sad', 'happy');
  create domain shortened as varchar(10) not null;
  create table users (
    id bigint generated always as identity primary key, email varchar(80) not null, nick citext,
    mood mood default 'happy', born date, balance numeric(12, 2), tags text[], about json,
    spot point, code char(3), at cidr, who name, short shortened
  );
  comment on table users is 'People';
  comment on column users.email is 'Where to write';
  create unique index on users (lower(email)) where id > 0;
  create table orders (id int primary key, user_id bigint references users, total numeric);
  create view cheap as select * from orders where total < 10;
  alter table orders enable row level security;
  insert into users (email, nick, born, balance, tags, code, at, who, short)
    select 'user' || g || '@example.com', 'Nick' || g, date '2000-01-01' + g, g, '{a,b}', 'abc',
      '10.0.0.0/8', 'who', 'short' from generate_series(1, 20) g;
  insert into orders select g, g, g from generate_series(1, 20) g;
  analyze;
  create role ${reader}_super superuser login;
`

/** Functions and operators that are found first or match better: the system's own, with other types. */
const hostile = `
  do $$ declare it record; t text; begin
    for it in select distinct p.proname, pg_get_function_identity_arguments(p.oid) as args,
        format_type(p.prorettype, null) as result, p.proretset
      from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f'
        and not exists (select from unnest(p.proargtypes || p.prorettype) u
          where u in ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype))
        and proname ~ '^(a|b|c|f|g|h|l|o|pg_get|pg_table|quote|r|s|u|version|to_|unnest)'
        and proname !~ '(in|out|send|recv)$'
    loop begin
      execute format('create function public.%I(%s) returns %s %s language plpgsql as %L', it.proname,
        regexp_replace(it.args, '"char"', '"char"', 'g'), case when it.proretset then 'setof' else '' end,
        it.result, format('begin perform marked.mark(%L); return%s; end', it.proname,
          case when it.proretset then '' else ' null' end));
    exception when others then null; end; end loop;
    -- One argument of another type fits better than what is only coerced to text.
    foreach t in array array['name', 'varchar', 'citext', 'bpchar', '"char"', 'public.mood'] loop
      for it in select * from (values ('lower'), ('upper'), ('length'), ('quote_ident'), ('concat')) v (name)
      loop begin
        execute format('create function public.%I(%s) returns text language plpgsql as %L', it.name, t,
          format('begin perform marked.mark(%L); return null; end', it.name || ' of ' || t));
      exception when others then null; end; end loop;
      for it in select * from (values ('sum'), ('min'), ('max'), ('avg'), ('count')) v (name)
      loop begin
        execute format('create function public.%I(text, %s) returns text language plpgsql as %L',
          it.name || '_step', t, format('begin perform marked.mark(%L); return null; end', it.name || ' of ' || t));
        execute format('create aggregate public.%I(%s) (sfunc = public.%I, stype = text)', it.name, t, it.name || '_step');
      exception when others then null; end; end loop;
    end loop;
    for it in select o.oprname, format_type(l, null) as l, format_type(r, null) as r
      from (values ('='), ('<>'), ('<'), ('<='), ('>'), ('>='), ('||'), ('~'), ('!~'), ('!~*'), ('~~'))
        o (oprname),
        unnest('{text,name,oid,"\\"char\\"",int2,int4,int8,varchar,bpchar,bool,numeric,date,cidr,inet,regclass,regtype,regproc,anyarray,anyenum,text[],public.mood}'::regtype[]) l,
        unnest('{text,name,oid,"\\"char\\"",int2,int4,int8,varchar,bpchar,bool,numeric,date,cidr,inet,regclass,regtype,regproc,anyarray,anyenum,text[],public.mood}'::regtype[]) r
    loop begin
      execute format('create function public.%I(%s, %s) returns %s language plpgsql as %L',
        'operator ' || it.oprname, it.l, it.r, case it.oprname when '||' then 'text' else 'bool' end,
        format('begin perform marked.mark(%L); return null; end', concat_ws(' ', it.l, it.oprname, it.r)));
      execute format('create operator public.%s (function = public.%I, leftarg = %s, rightarg = %s)',
        it.oprname, 'operator ' || it.oprname, it.l, it.r);
    exception when others then null; end; end loop;
  end $$;
`

/** Objects that another client may have left in a pooled session. */
const leftBehind = `
  ${['text', 'oid', 'name', 'regclass', 'regtype', 'int8', 'int4']
    .map(
      (
        type,
      ) => `create function pg_temp.check_${type}(it pg_catalog.${type}) returns bool language plpgsql
        as $$ begin perform marked.mark('pg_temp.${type}'); return true; end $$;
      create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.check_${type}(value));`,
    )
    .join('\n')}
  ${['pg_class', 'pg_proc', 'pg_roles', 'pg_settings', 'pg_attribute']
    .map(
      (name) => `create view pg_temp.${name} as
        select marked.mark('pg_temp.${name}') from (values (1)) as t`,
    )
    .join(';\n')}
`

await describePostgres('hostile functions, operators and types', setup, (postgres) => {
  vi.setConfig({ testTimeout: 120_000 })
  const user = `${postgres.reader}_super`
  const { database } = postgres.config
  const marks = async () => {
    const { rows } = await postgres.admin(
      'with gone as (delete from marked.marks returning name) select distinct name from gone order by name',
    )
    return rows.map(({ name }) => name)
  }
  let pooled: NeonServer
  let pooledApi: SupabaseServer
  beforeAll(async () => {
    await postgres.admin(hostile)
    pooled = await startNeon(postgres.config, leftBehind)
    pooledApi = await startSupabase(postgres.config, { readOnly: false, before: leftBehind })
  })
  afterAll(async () => {
    await Promise.all([pooled.close(), pooledApi.close()])
    await postgres.admin(`drop owned by ${user}; drop role ${user}`)
  })

  const first = 'public, pg_catalog'
  const temporary = 'public, marked, pg_temp, pg_catalog'
  const { supabase: api } = postgres
  const here = () => fetch
  const ways = [
    ['TCP', '"$user", public', () => postgres.tcp(user), here],
    ['TCP', first, () => postgres.tcp(user), here],
    ['HTTP', first, () => postgres.url(user), here],
    ['a pooled session', temporary, () => pooled.url(user, database), here],
    ['the Supabase API', first, () => api.url(user), () => api.io.fetch],
    [
      'a pooled session of the Supabase API',
      temporary,
      () => pooledApi.url(user),
      () => pooledApi.io.fetch,
    ],
  ] as const

  const values = [
    ...([['id', 3] as const, ['email', 'user3@example.com'], ['nick', 'nICK3']] as const),
    ...([['mood', 'happy'] as const, ['born', '2000-01-04'], ['balance', '3.00']] as const),
    ...([
      ['code', 'abc'] as const,
      ['at', '10.0.0.0/8'],
      ['who', 'who'],
      ['short', 'short'],
    ] as const),
  ]

  test('are called by a function name without a schema', async () => {
    const text = 'select lower(relname) from pg_catalog.pg_class limit 1'
    await open(postgres.tcp(user), { fetch, bindings: {} }).query(
      { sql: text },
      { maxRows: 1, maxBytes: 1_000, timeoutMs: 5_000 },
    )
    expect(await marks()).toEqual(['lower of name'])
  })

  describe('are never called by generated statements', () => {
    test.each(ways)('over %s with the search path %s', async (_, path, urlOf, sender) => {
      await postgres.admin(`alter role ${user} set search_path = ${path}`)
      await marks()
      const url = urlOf()
      const io = { fetch: sender(), bindings: { DATABASE: url } }
      const server = endpointBefore(
        url,
        {
          caps: { samples: 3 },
          search: [{ table: 'users', title: 'email', text: ['email', 'nick'] }],
        },
        io,
      )
      const called = async (name: string, args: object) => {
        const found = await structureOf(server, name, args)
        if (name !== 'query_table')
          expect(await marks(), `${name} ${JSON.stringify(args)}`).toEqual([])
        return found
      }
      const request = async (method: string, params: object) => {
        const { body } = await ask({ server }, requestOf(MODERN, { method, params: { ...params } }))
        expect(body.error, `${method} ${JSON.stringify(params)}`).toBeUndefined()
        expect(await marks(), `${method} ${JSON.stringify(params)}`).toEqual([])
        return body.result
      }

      const { tables } = await called('list_tables', {})
      expect(tables.map((it: { name: string }) => it.name)).toEqual(
        expect.arrayContaining(['cheap', 'orders', 'users']),
      )
      await called('list_tables', { search: 'e' })
      const described = await called('describe_table', { table: 'users' })
      const types = Object.fromEntries(
        described.columns.map((it: { name: string; type: string }) => [it.name, it.type]),
      )
      expect(types).toMatchObject({ mood: 'mood', nick: 'citext' })
      expect(
        (await resultOf(server, 'describe_table', { table: 'userz' })).content[0].text,
      ).toContain('Did you mean users?')
      await called('describe_table', { table: 'PUBLIC.Orders' })
      for (const [column, value] of values) {
        const among = [
          ...(['eq', 'lte', 'gte'] as const).map((op) => ({ column, op, value })),
          { column, op: 'in', value: [value, value] },
          { column, op: 'between', value: [value, value] },
        ]
        const found = await structureOf(server, 'query_table', { table: 'users', where: among })
        expect(found.rowCount, column).toBeGreaterThan(0)
        const others = [
          ...(['ne', 'lt', 'gt', 'like', 'contains'] as const).map((op) => ({ column, op, value })),
          { column, op: 'not_in', value: [value] },
        ]
        await structureOf(server, 'query_table', { table: 'users', where: others })
        const aggregates = ['count(*)', `count(distinct ${column})`, `max(${column})`]
        const least = { table: 'users', aggregates: [`min(${column})`], columns: [column] }
        await resultOf(server, 'query_table', { ...least, orderBy: [`min(${column})`] })
        await resultOf(server, 'query_table', { table: 'users', aggregates })
        await resultOf(server, 'query_table', { table: 'users', aggregates: [`sum(${column})`] })
      }
      expect(await marks()).toEqual([])
      await called('query_table', {
        table: 'orders',
        orderBy: ['total desc'],
        where: [{ column: 'id', op: 'in', value: [] }],
      })
      await called('query_table', { table: 'cheap' })
      await called('search', { query: 'user3 nick' })
      const { results } = await called('search', { query: 'user3@' })
      await called('fetch', { id: results[0].id })
      await called('explain_query', { sql: 'select id from users order by id' })
      await called('query', {
        sql: "select 'happy'::public.mood, nick, short, tags from public.users",
      })
      await called('query', { sql: 'select id from public.orders where false' })
      for (const sql of [
        'select nope from users',
        'select emial from users',
        'select 1 from userz',
        'select id from users, orders',
      ]) {
        expect((await resultOf(server, 'query', { sql })).isError).toBe(true)
        expect(await marks(), sql).toEqual([])
      }
      await request('resources/list', {})
      await request('resources/read', { uri: 'schema://main' })
      await request('resources/read', { uri: 'schema://main/users' })
      await request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'schema://main/{table}' },
        argument: { name: 'table', value: 'us' },
      })

      const opened = open(url, io)
      const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 10_000 }
      await fingerprint(opened, limits)
      expect((await inspectRole(opened, limits)).findings[0]!.kind).toBe('superuser')
      const endpoint = {
        name: 'main',
        title: 'Main',
        databases: { main: { url: 'secret:DATABASE' } },
        tools: [
          {
            name: 'one',
            title: 'One',
            description: 'All the users there are.',
            sql: 'select id from public.users',
          },
        ],
      }
      const { diagnose } = await diagnosis()
      const [found] = await diagnose(readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) }), io)
      expect(found!.problem).toBeUndefined()
      expect(await marks()).toEqual([])
    })
  })
})
