import { existsSync, rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database, DatabaseError } from '../../src/database/database.ts'
import { neon } from '../../src/database/drivers/neon.ts'
import { postgres as tcp } from '../../src/database/drivers/postgres.ts'
import { open } from '../../src/database/index.ts'
import { type Attack, attacks, benign, exhausting } from '../support/attacks.ts'
import { describePostgres, type TestPostgres } from '../support/postgres.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }

const extensions = ['dblink', 'tablefunc', 'xml2', 'pg_prewarm', 'postgres_fdw']

/** What the statements of the corpus speak of. */
const setup = (reader: string) => `
  create table users (id serial primary key, email text);
  create table orders (id serial primary key, user_id integer, total numeric);
  insert into users (email) select 'user' || g || '@example.com' from generate_series(1, 20) g;
  insert into orders (user_id, total) select 1 + g % 20, g from generate_series(1, 50) g;
  create view v as select * from users;
  create procedure purge_inactive_records() language sql as 'delete from users';
  do $$ declare it text; begin
    foreach it in array '{${extensions}}'::text[] loop
      if exists (select from pg_available_extensions where name = it) then
        execute format('create extension if not exists %I schema public', it);
      end if;
    end loop;
  end $$;
  grant usage on schema public to ${reader};
  grant select on all tables in schema public to ${reader};
`

/** All of the server that a statement could change and that outlives its session. */
const state = `select jsonb_build_object(
  'users', (select jsonb_agg(u order by id) from users u),
  'orders', (select jsonb_agg(o order by id) from orders o),
  'relations', (select jsonb_agg(concat(n.nspname, c.relname, c.relkind, c.relacl) order by c.oid)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid > 16383),
  'columns', (select count(*) from pg_attribute),
  'sequences', (select jsonb_agg(s order by sequencename) from pg_sequences s),
  'functions', (select count(*) from pg_proc),
  'collations', (select count(*) from pg_collation),
  'triggers', (select count(*) from pg_trigger),
  'comments', (select count(*) from pg_description),
  'extensions', (select jsonb_agg(extname order by extname) from pg_extension),
  'large objects', (select jsonb_agg(oid order by oid) from pg_largeobject_metadata),
  'settings', (select jsonb_agg(concat(name, '=', setting) order by name) from pg_settings),
  'own settings', (select jsonb_agg(r) from pg_db_role_setting r join pg_database d
    on d.oid = r.setdatabase where d.datname = current_database()),
  'roles', (select jsonb_agg(rolname || rolsuper order by rolname) from pg_roles
    where rolname !~ '^tidegate_'),
  'slots', (select jsonb_agg(slot_name order by slot_name) from pg_replication_slots),
  'origins', (select jsonb_agg(roname order by roname) from pg_replication_origin),
  'advisory locks', (select count(*) from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory')
)::text as state`

/** What some of them would leave on the disk of the server. */
const files = ['/tmp/pwn', '/tmp/pwn_lo']

/** Sees what changes, and puts it back. */
class Witness {
  #postgres: TestPostgres
  #listener: pg.Client
  #heard = 0
  #before = ''

  constructor(postgres: TestPostgres) {
    this.#postgres = postgres
    this.#listener = new pg.Client(postgres.config)
  }

  async begin() {
    this.#listener.on('notification', () => this.#heard++)
    await this.#listener.connect()
    await this.#listener.query('listen ch')
    this.#before = await this.#state()
  }

  async #state(): Promise<string> {
    const { rows } = await this.#postgres.admin(state)
    return rows[0].state + files.filter(existsSync)
  }

  /** Whether anything is not as it was. Afterwards it is again. */
  async changed(): Promise<boolean> {
    await this.#listener.query('select 1')
    const same = this.#heard === 0 && (await this.#state().catch(() => '')) === this.#before
    if (!same) await this.#restore()
    return !same
  }

  async #restore() {
    this.#heard = 0
    for (const file of files) rmSync(file, { force: true })
    await this.#postgres.admin(`
      drop schema public cascade;
      create schema public;
      select lo_unlink(oid) from pg_largeobject_metadata;
      select pg_drop_replication_slot(slot_name) from pg_replication_slots
        where slot_name in ('s1', 's2');
      select pg_replication_origin_drop(roname) from pg_replication_origin where roname = 'x';
    `)
    await this.#postgres.admin(setup(this.#postgres.reader))
    this.#before = await this.#state()
  }

  end = () => this.#listener.end()
}

const outcome = (database: Database, sql: string) =>
  database.query({ sql }, limits).catch((error: unknown) => error)

await describePostgres('a statement that would do more than read', setup, (postgres) => {
  const witness = new Witness(postgres)
  beforeAll(() => witness.begin())
  afterAll(() => witness.end())

  const io = { fetch, bindings: {} }
  const corpus = attacks('postgres').map((it) => ({
    ...it,
    // So that it finds the database that it means.
    sql: it.sql.replace('dbname=app', connectionOf(postgres)),
  }))
  const { reader } = postgres
  const roles = [
    ['the superuser, over HTTP', postgres.url()],
    ['a role that may only select, over HTTP', postgres.url(reader)],
    ['the superuser, over TCP', postgres.tcp()],
    ['a role that may only select, over TCP', postgres.tcp(reader)],
  ] as const

  it.each(corpus.filter((it) => it.expect === 'rejected' && !exhausting.has(it.name)))(
    'never leaves the Worker: $name',
    async ({ sql }) => {
      // What leaves it finds nobody there.
      for (const url of ['neon://app@127.0.0.1:9/shop', 'postgres://app@127.0.0.1:9/shop']) {
        expect(await outcome(open(url, io), sql)).toMatchObject({ kind: 'refused' })
      }
    },
  )

  describe.each(roles)('as %s', (_, url) => {
    const database = open(url, io)

    it.each(corpus.filter((it) => exhausting.has(it.name)))(
      'is ended by the engine when it only costs too much: $name',
      async ({ sql }) => {
        const error = (await outcome(database, sql)) as DatabaseError
        expect(['timeout', 'too_large']).toContain(error.kind)
        expect(await witness.changed()).toBe(false)
      },
    )

    it.each(corpus.filter((it) => it.expect === 'no_effect'))(
      'runs without effect where it only looks like it: $name',
      async ({ sql }) => {
        expect(await outcome(database, sql)).toHaveProperty('rows')
        expect(await witness.changed()).toBe(false)
      },
    )

    it.each(benign('postgres'))('is not meant by $name: $why', async ({ sql }) => {
      expect(await outcome(database, sql)).toHaveProperty('rows')
    })
  })

  describe.each([
    ['over HTTP', neon, postgres.url],
    ['over TCP', tcp, postgres.tcp],
  ] as const)('that gets past the guard, %s,', (_, driver, urlOf) => {
    // On a server that others use, this one ends their sessions.
    const spared = new Set(['pg_fn_terminate_backend'])
    const unguarded = corpus.filter((it) => !spared.has(it.name))

    it('changes nothing as a role that may only select, but for what could be revoked', async () => {
      const effective = await effects(driver.open(new URL(urlOf(reader)), io), unguarded)
      const { rows } = await postgres.admin('show server_version_num')
      const before16 = Number(rows[0].server_version_num) < 160_000
      // Everybody may send a notification. Before PostgreSQL 16 a read-only transaction makes large
      // objects, too. `revoke execute on function … from public` ends either.
      const known = [
        'pg_fn_pg_notify',
        ...(before16 ? ['pg_fn_lo_creat', 'pg_fn_lo_from_bytea'] : []),
      ]
      expect(effective.filter((name) => !known.includes(name))).toEqual([])
    })

    it('is why the role must not be a superuser', async () => {
      const effective = await effects(driver.open(new URL(urlOf()), io), unguarded)
      expect(effective).toContain('pg_fn_dblink_exec')
      // Functions all of them, and none is undone by a rollback or stopped by a read-only
      // transaction; large objects are from PostgreSQL 16 on.
      const known = [
        ...['pg_fn_dblink_exec', 'pg_fn_pg_notify', 'pg_fn_import_collations'],
        ...['pg_fn_repl_slot_physical', 'pg_fn_replication_origin'],
        ...['pg_fn_lo_import', 'pg_fn_lo_creat', 'pg_fn_lo_from_bytea'],
      ]
      expect(effective.filter((name) => !known.includes(name))).toEqual([])
    })

    async function effects(database: Database, list: readonly Attack[]): Promise<string[]> {
      const effective: string[] = []
      for (const { name, sql } of list) {
        await outcome(database, sql)
        if (await witness.changed()) effective.push(name)
      }
      return effective
    }
  })
})

const connectionOf = ({ config: { host, port, user, database } }: TestPostgres) =>
  `host=${host} port=${port} user=${user} dbname=${database}`
