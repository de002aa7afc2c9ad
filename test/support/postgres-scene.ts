import pg from 'pg'
import { attacks } from './attacks.ts'
import type { TestPostgres } from './postgres.ts'
import { filesNamedIn, filesSeen, type Scene } from './witness.ts'

const extensions = [
  ...['dblink', 'tablefunc', 'xml2', 'pg_prewarm', 'postgres_fdw', 'pageinspect', 'pg_surgery'],
  ...['pg_visibility', 'pg_buffercache', 'pg_walinspect', 'pgrowlocks', 'file_fdw'],
]

/** The objects that the statements of the corpus use, and all available extensions. */
export const setup = (reader: string) => `
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

/** Everything on the server that a statement could change and that outlives its session. */
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

/** The state of the database that {@link setup} created, and of the files and folders of its server. */
export async function postgresScene(
  postgres: TestPostgres,
  statements: readonly string[] = attacks('postgres').map(({ sql }) => sql),
  folders: readonly string[] = [],
): Promise<Scene & { end(): Promise<void> }> {
  const files = filesNamedIn(statements)
  let heard = 0
  let lost = 0
  const connect = async () => {
    const client = new pg.Client(postgres.config)
    client.on('notification', () => heard++)
    client.on('error', () => {})
    client.on('end', () => lost++)
    await client.connect()
    await client.query('listen ch')
    return client
  }
  let listener = await connect()
  return {
    async state() {
      const look = () => listener.query(state).then(({ rows }) => rows[0].state as string)
      const seen = await look().catch(async () => {
        listener = await connect()
        return await look().catch(() => '')
      })
      return [seen, heard, lost, files.seen(), filesSeen(folders)].join('\n')
    },
    async restore() {
      heard = lost = 0
      files.removeNew()
      await postgres.admin(`
        drop schema public cascade;
        create schema public;
        select lo_unlink(oid) from pg_largeobject_metadata;
        select pg_drop_replication_slot(slot_name) from pg_replication_slots
          where slot_name in ('s1', 's2');
        select pg_replication_origin_drop(roname) from pg_replication_origin where roname = 'x';
      `)
      await postgres.admin(setup(postgres.reader))
    },
    end: () => listener.end(),
  }
}
