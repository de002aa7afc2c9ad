import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectRole } from '../../../src/database/doctor/index.ts'
import type { RoleReport } from '../../../src/database/index.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

const setup = `
  create schema "We""ird";
  create table public.users (id integer, email text);
  create table "We""ird"."T;able" (id integer);
  create sequence public.counter;
  create function public.plain() returns int language sql as 'select 1';
  create function public.definer(text, out a int) security definer language sql as 'select 1';
  alter function public.definer(text) owner to pg_monitor;
  create function public.admins() returns int security definer language sql as 'select 1';
  create function public.native(text, text) returns text language c as '$libdir/pgcrypto', 'pg_digest';
  create function public.on_change() returns trigger security definer language plpgsql
    as 'begin return new; end';
  revoke execute on all functions in schema public from public;
  revoke create on schema public from public;
  do $$ declare f regprocedure; begin
    for f in select oid::regprocedure from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo(_|w|r)|pg_notify|pg_logical_emit)'
    loop execute format('revoke execute on function %s from public', f); end loop;
  end $$;
  create extension dblink;
  do $$ declare f regprocedure; begin
    for f in select oid::regprocedure from pg_proc where proname ~ '^dblink'
    loop execute format('revoke execute on function %s from public', f); end loop;
  end $$;
  create extension postgres_fdw;
  create server elsewhere foreign data wrapper postgres_fdw;
`

await describePostgres('the role check on PostgreSQL', setup, (postgres) => {
  const { database } = postgres.config
  const role = `${database}_Role"x`
  const group = `${database}_group`
  const quoted = `"${role.replaceAll('"', '""')}"`
  const made = `"tidegate_${database}"`
  const version = () =>
    postgres.admin('show server_version_num').then(({ rows }) => Number(rows[0].server_version_num))
  const look = (user: string) => inspectRole(open(postgres.tcp(user), io), limits)
  const kinds = ({ findings }: RoleReport) => findings.map(({ kind }) => kind)
  const run = async (statements: readonly string[]) => {
    for (const sql of statements) await postgres.admin(sql)
  }

  const all = [quoted, group, made]
  const drop = async () => {
    for (const name of all) {
      await postgres.admin(`do $$ begin if to_regrole('${name}') is not null then
        execute 'reassign owned by ${name} to postgres'; execute 'drop owned by ${name}';
        execute 'drop role ${name}'; end if; end $$`)
    }
  }
  beforeAll(() =>
    run([
      `create role ${quoted} login`,
      `create role ${group}`,
      `grant select on all tables in schema public to ${quoted}`,
      `grant usage on schema "We""ird" to ${quoted}`,
      `grant connect on database ${database} to ${quoted}`,
      `grant pg_read_all_settings to ${quoted}`,
    ]),
  )
  afterAll(drop)

  test('finds nothing for a role that may only select', async () => {
    const examination = await look(encodeURIComponent(role))
    expect(examination).toMatchObject({ role, findings: [], reader: [] })
    expect(examination.version).toMatch(/^PostgreSQL \d+/)
  })

  const me = quoted
  const cases: [kind: string, severity: string, object: string, setup: string, undo?: string][] = [
    ['write-grants', 'low', 'public.users', `grant insert on users to ${me}`],
    [
      'write-grants',
      'low',
      'public.users',
      `grant truncate, trigger, references on users to ${me}`,
    ],
    ['write-grants', 'low', 'public.users', 'grant update on users to public'],
    ['write-grants', 'low', 'public.users.email', `grant update (email) on users to ${me}`],
    ['write-grants', 'low', '"We""ird"."T;able"', `grant delete on "We""ird"."T;able" to ${me}`],
    [
      'write-grants',
      'low',
      'public.users',
      `grant insert on users to ${group}; grant ${group} to ${me}`,
      `revoke insert on users from ${group}`,
    ],
    ['write-grants', 'low', 'pg_write_all_data', `grant pg_write_all_data to ${me}`],
    [
      'server-access',
      'high',
      'pg_write_server_files',
      `grant pg_write_server_files to ${group}; grant ${group} to ${me}`,
      `revoke pg_write_server_files from ${group}`,
    ],
    ['server-access', 'high', 'pg_signal_backend', `grant pg_signal_backend to ${me}`],
    [
      'server-access',
      'high',
      group,
      `alter role ${group} superuser; grant ${group} to ${me}`,
      `alter role ${group} nosuperuser`,
    ],
    ['attributes', 'low', 'CREATEDB', `alter role ${me} createdb createrole bypassrls replication`],
    ['create', 'low', 'SCHEMA public', 'grant create on schema public to public'],
    ['create', 'low', `DATABASE ${database}`, `grant create on database ${database} to ${me}`],
    ['sequences', 'low', 'public.counter', `grant usage, update on sequence counter to ${me}`],
    [
      'definer-functions',
      'low',
      'public.definer(text, OUT a integer)',
      `grant execute on function definer(text) to public`,
    ],
    [
      'superuser-functions',
      'high',
      'public.admins()',
      `grant execute on function admins() to ${me}`,
    ],
    [
      'untrusted-code',
      'high',
      'public.native(text, text)',
      `grant execute on function native(text, text) to public`,
    ],
    [
      'other-connections',
      'high',
      'public.dblink(text)',
      `grant execute on function dblink(text), dblink_exec(text, text) to public`,
    ],
    ['foreign-servers', 'high', 'elsewhere', `grant usage on foreign server elsewhere to ${me}`],
    [
      'acting-functions',
      'low',
      'pg_catalog.pg_notify(text, text)',
      'grant execute on function pg_notify(text, text) to public',
    ],
    [
      'owner',
      'low',
      'public.users',
      `grant ${group} to ${me}; alter table users owner to ${group}`,
      'alter table users owner to postgres',
    ],
  ]

  describe('reports a finding with statements that fix it', () => {
    test.each(cases)('%s, %s: %s after %s', async (kind, severity, object, setup, undo) => {
      await postgres.admin(setup)
      try {
        const found = await look(encodeURIComponent(role))
        expect(kinds(found)).toEqual([kind])
        const [finding] = found.findings
        expect(finding!.severity).toBe(severity)
        expect(finding!.objects).toContain(object)
        expect(finding!.count).toBe(finding!.objects.length)
        expect(finding!.statements.length).toBeGreaterThan(0)
        await run(finding!.statements)
        expect(kinds(await look(encodeURIComponent(role)))).toEqual([])
        // The role is still a member, and reads the same table.
        const { rows } = await open(postgres.tcp(encodeURIComponent(role)), io).query(
          { sql: "select pg_has_role('pg_read_all_settings', 'member'), count(*) from users" },
          limits,
        )
        expect(rows).toEqual([[true, 0]])
      } finally {
        if (undo) await postgres.admin(undo)
      }
    })

    test('large objects, before PostgreSQL 16', async () => {
      await postgres.admin('grant execute on function lo_from_bytea(oid, bytea) to public')
      const found = await look(encodeURIComponent(role))
      if ((await version()) >= 160_000) return expect(kinds(found)).toEqual([])
      expect(found.findings[0]).toMatchObject({ kind: 'large-objects-undone', severity: 'low' })
      await run(found.findings[0]!.statements)
      expect(kinds(await look(encodeURIComponent(role)))).toEqual([])
    })
  })

  test('suggests a new role for an owner of tables or a superuser', async () => {
    await postgres.admin(
      `alter table users owner to ${quoted}; grant insert on users to public;
       grant usage on sequence counter to ${quoted}`,
    )
    for (const [user, expected] of [
      [encodeURIComponent(role), ['owner', 'write-grants', 'sequences']],
      ['postgres', ['superuser', 'write-grants']],
    ] as const) {
      const found = await look(user)
      expect(kinds(found)).toEqual(expected)
      // Nothing is revoked from a role that needs its privileges.
      for (const { kind, statements } of found.findings) {
        if (kind !== 'write-grants') expect(statements).toEqual([])
      }
      await run(found.reader)
      try {
        // Grants to PUBLIC do not belong to the role.
        expect(kinds(await look(`tidegate_${database}`))).toEqual(['write-grants'])
        await run(found.findings[1]!.statements)
        const after = await look(`tidegate_${database}`)
        expect(after).toMatchObject({ role: `tidegate_${database}`, findings: [], reader: [] })
        const { rows } = await open(postgres.tcp(`tidegate_${database}`), io).query(
          { sql: "select current_setting('default_transaction_read_only'), count(*) from users" },
          limits,
        )
        expect(rows).toEqual([['on', 0]])
        // Future tables can also be read.
        if (user === 'postgres') {
          await postgres.admin('create table later (id int)')
          const later = open(postgres.tcp(`tidegate_${database}`), io)
          expect((await later.query({ sql: 'table later' }, limits)).rows).toEqual([])
        }
      } finally {
        await postgres.admin(
          `drop owned by ${made}; drop role ${made}; grant insert on users to public`,
        )
      }
    }
  })

  test('takes less than 3 seconds with 3,000 tables, and names 20 of them', async () => {
    await postgres.admin(`do $$ begin for i in 1..3000 loop
      execute format('create table many_%s (id int)', i);
      execute format('grant insert on many_%s to public', i); end loop; end $$`)
    const started = Date.now()
    const { findings } = await look(encodeURIComponent(role))
    expect(Date.now() - started).toBeLessThan(3_000)
    const grants = findings.find(({ kind }) => kind === 'write-grants')
    expect(grants).toMatchObject({ count: 3_001 })
    expect(grants!.objects).toHaveLength(20)
    expect(grants!.statements).toEqual([
      'REVOKE INSERT ON ALL TABLES IN SCHEMA public FROM PUBLIC;',
    ])
  })
})

/** Functions that the role may call but should not, each used by something that the role reads. */
const used = `
  ${[
    'in_view',
    'in_matview',
    'in_policy',
    'in_operator',
    'in_cast',
    'in_domain',
    'in_index',
    'in_body',
    'in_atomic',
    'in_generated',
    'in_default',
    'of_nothing',
    'in_check',
  ]
    .map(
      (
        name,
      ) => `create function ${name}(int) returns int immutable security definer language plpgsql
        as 'begin return $1; end';`,
    )
    .join('\n')}
  create function native_step(int8, int4) returns int8 language internal immutable as 'int84pl';
  create aggregate total(int) (sfunc = int4pl, stype = int, initcond = 0);
  create aggregate native(int) (sfunc = native_step, stype = int8, initcond = 0);
  create aggregate unused(int) (sfunc = native_step, stype = int8, initcond = 0);
  create aggregate plainly(int) (sfunc = int4pl, stype = int, initcond = 0);
  create function wraps(it int) returns int immutable language sql as 'select IN_body(it)';
  create function atomic(it int) returns int language plpgsql as 'begin return public.in_atomic(it); end';
  create type boxed as (it int);
  create function in_cast_of(boxed) returns int security definer immutable language sql
    as 'select $1.it';
  create cast (boxed as int) with function in_cast_of(boxed);
  create function same(int, text) returns bool security definer immutable language sql
    as 'select $1::text = $2';
  create operator === (function = same, leftarg = int, rightarg = text);
  create domain small as int check (in_domain(value) < 1000);
  create table things (
    id int default in_default(1), boxed boxed, doubled int generated always as (in_generated(id)) stored,
    check (in_check(id) > 0)
  );
  insert into things (id, boxed) select g, row(g)::boxed from generate_series(1, 9) g;
  create index on things (in_index(id));
  alter table things enable row level security;
  create policy few on things using (in_policy(id) < 6);
  create view seen as select in_view(id) as id, boxed::int as it, id === '3' as same, id::small as small,
    wraps(id) as wrapped, atomic(id) as atomic from things;
  create view totals as select total(id) as total, native(id) as native from things;
  create materialized view kept as select in_matview(1) as id;
  create table shared (id int);
  create schema apart;
  create table apart.rows (id int);
  create sequence counter;
`
const reads = [
  'things',
  'seen',
  'totals',
  'kept',
  'shared',
  'apart.rows',
  'things where in_index(id) = 3',
]

await describePostgres('the role check on a role in use', used, (postgres) => {
  const { reader, config } = postgres
  const group = `${config.database}_readers`
  const ways = [postgres.tcp(reader), postgres.url(reader)]
  const read = async () =>
    Promise.all(
      reads.map(async (from) => {
        const { rows } = await open(ways[0]!, io).query({ sql: `select * from ${from}` }, limits)
        return rows
      }),
    )
  const look = (url = ways[0]!) => inspectRole(open(url, io), limits)
  afterAll(() => postgres.admin(`drop owned by ${group}; drop role ${group}`))

  test('suggests statements that keep every read working', async () => {
    await postgres.admin(`create role ${group};
      grant select on shared, apart.rows to ${group}; grant usage on schema apart to ${group};
      grant insert, update on things, shared to ${group}; grant usage on sequence counter to ${reader};
      grant update (id) on things to ${reader}; grant insert on apart.rows to public;
      grant create on schema public to ${reader}; alter role ${reader} createdb bypassrls;
      grant ${group}, pg_write_all_data, pg_signal_backend to ${reader}`)
    for (const bypass of [true, false]) {
      if (!bypass) await postgres.admin(`alter role ${reader} nobypassrls`)
      const before = await read()
      expect(before[0]).toHaveLength(bypass ? 9 : 5)
      for (const url of ways) {
        const { findings } = await look(url)
        for (const sql of findings.flatMap((it) => it.statements)) await postgres.admin(sql)
      }
      expect(await read()).toEqual(before)
    }
    const { findings, reader: made } = await look()
    expect(made.length).toBeGreaterThan(0)
    const of = (kind: string) => findings.find((it) => it.kind === kind)
    expect(of('needed-functions')!.statements).toEqual([])
    expect(of('needed-functions')!.objects).toContain('public.in_body(integer)')
  })

  test('revokes only the functions that no read needs', async () => {
    await postgres.admin(`revoke ${group} from ${reader}; alter role ${reader} nocreatedb nobypassrls;
      grant select on shared, apart.rows to ${reader}; grant usage on schema apart to ${reader};
      grant execute on routine of_nothing(int), unused(int), plainly(int) to public;
      grant execute on function lo_creat(int) to public`)
    const before = await read()
    const { findings } = await look()
    const names = (kind: string) => findings.find((it) => it.kind === kind)?.objects ?? []
    expect(names('superuser-functions')).toEqual(['public.of_nothing(integer)'])
    // An aggregate is rated like its step functions.
    expect(names('untrusted-code')).toEqual(['public.unused(integer)'])
    for (const sql of findings.flatMap((it) => it.statements)) await postgres.admin(sql)
    const after = (await look()).findings.map(({ kind }) => kind)
    expect(after).toEqual(['needed-functions'])
    expect(await read()).toEqual(before)
  })

  test('reports no high severity if the driver rolls back', async () => {
    await postgres.admin('grant execute on function lo_creat(int) to public')
    const { rows } = await postgres.admin('show server_version_num')
    const [tcp, http] = await Promise.all(ways.map((url) => look(url)))
    expect(tcp!.findings.filter(({ severity }) => severity === 'high')).toEqual([])
    const over = http!.findings.map(({ kind, severity }) => [kind, severity])
    if (Number(rows[0].server_version_num) < 160_000) {
      expect(over).toContainEqual(['large-objects', 'high'])
      expect(tcp!.findings.map(({ kind }) => kind)).toContain('large-objects-undone')
    }
  })
})
