import { MAX_OBJECTS } from '../role.ts'
import { words } from '../words.ts'

/** A list of SQL strings: `('a', 'b')`. */
const list = (...lines: string[]) => `('${words(...lines).join("', '")}')`

/** Extensions whose functions can access more than the database. Those that only superusers can use are left out. */
const reaching = list(
  'dblink http pg_net plproxy pg_background',
  'pg_cron aws_s3 aws_lambda azure_storage xml2 orafce',
)

const powerful = list(
  'pg_execute_server_program pg_read_server_files pg_write_server_files',
  'pg_signal_backend pg_signal_autovacuum_worker pg_checkpoint',
)

const writing = list('pg_write_all_data pg_maintain pg_create_subscription')

const large = list(
  'lo_creat lo_create lo_from_bytea lo_import lo_put lo_truncate',
  'lo_truncate64 lo_unlink lowrite',
)

const own = (schema: string) => `${schema}.nspname !~ '^(pg_|information_schema$)'`

const at = 'quote_ident(n.nspname)'
const table = `${at} || '.' || quote_ident(c.relname)`
const routine = `${at} || '.' || quote_ident(p.proname)
  || '(' || pg_get_function_identity_arguments(p.oid) || ')'`

/** Granted privileges: one row for each privilege and each role that counts. */
const granted = (acl: string) => `aclexplode(${acl}) g
  join mine on mine.oid = g.grantee and not mine.super`
const functions = `pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  cross join ${granted("coalesce(p.proacl, acldefault('f', p.proowner))")}`
const relations = `pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${own('n')}`

/** The extension that a function belongs to. */
const extension = `(select e.extname from pg_catalog.pg_depend d
  join pg_catalog.pg_extension e on e.oid = d.refobjid
  where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

/** True if a function, or one in an aggregate, runs with another role's privileges or in an untrusted language. */
const unbounded = `case when p.prokind = 'a' then exists (select from pg_catalog.pg_aggregate a
    join pg_catalog.pg_proc s on s.oid in (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
      a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
    join pg_catalog.pg_language sl on sl.oid = s.prolang
    where a.aggfnoid = p.oid and s.oid >= 16384 and (s.prosecdef or not sl.lanpltrusted))
  else p.prosecdef or not l.lanpltrusted end`

/**
 * True if an object calls a function, according to the catalog or to a function body that contains its
 * name. Triggers do not count, because reads never run them.
 */
const needed = `exists (select from pg_catalog.pg_depend d where d.refobjid = p.oid
    and d.refclassid = 'pg_catalog.pg_proc'::regclass
    and d.classid not in ('pg_catalog.pg_trigger'::regclass, 'pg_catalog.pg_event_trigger'::regclass))
  or exists (select from pg_catalog.pg_proc q join pg_catalog.pg_language ql on ql.oid = q.prolang
    where q.oid <> p.oid and q.oid >= 16384 and ql.lanname not in ('c', 'internal')
      and strpos(upper(q.prosrc), upper(p.proname::text)) > 0)`

/** Findings: the kind, the object, the privilege to revoke, its target, and the grantee. */
const found = `
  select 'superuser' as kind, quote_ident(rolname) as object, null as privilege, null as target,
    null::oid as grantee from me where rolsuper
  union all
  select case when m.writes then 'write-grants' else 'server-access' end, m.name, '', m.name, m.oid
  from mine m where m.super or m.powerful or m.writes
  union all
  select 'attributes', it, 'NO' || it, null, null from me cross join lateral unnest(array[
    case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end,
    case when rolreplication then 'REPLICATION' end,
    case when rolbypassrls and not exists (select from pg_catalog.pg_class where relrowsecurity)
      then 'BYPASSRLS' end]) it
  where it is not null and not rolsuper
  union all
  select 'owner', ${table}, '', mine.name, c.relowner
  from ${relations} join mine on mine.oid = c.relowner
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'owner', 'SCHEMA ' || ${at}, '', mine.name, n.nspowner
  from pg_catalog.pg_namespace n join mine on mine.oid = n.nspowner
  where ${own('n')}
  union all
  select 'owner', 'DATABASE ' || quote_ident(d.datname), '', mine.name, d.datdba
  from pg_catalog.pg_database d join mine on mine.oid = d.datdba
  where d.datname = current_database()
  union all
  select 'write-grants', ${table}, g.privilege_type || ' ON ALL TABLES IN SCHEMA', ${at}, mine.oid
  from ${relations} cross join ${granted('c.relacl')}
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and g.privilege_type <> 'SELECT'
    and g.grantee <> c.relowner
  union all
  select 'write-grants', ${table} || '.' || quote_ident(a.attname),
    g.privilege_type || ' (' || quote_ident(a.attname) || ') ON', ${table}, mine.oid
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${own('n')}
  cross join ${granted('a.attacl')}
  where a.attacl is not null and not a.attisdropped and g.privilege_type <> 'SELECT'
    and g.grantee <> c.relowner
  union all
  select 'sequences', ${table}, g.privilege_type || ' ON ALL SEQUENCES IN SCHEMA', ${at}, mine.oid
  from ${relations} cross join ${granted('c.relacl')}
  where c.relkind = 'S' and g.privilege_type <> 'SELECT' and g.grantee <> c.relowner
  union all
  select 'create', 'SCHEMA ' || ${at}, 'CREATE ON SCHEMA', ${at}, mine.oid
  from pg_catalog.pg_namespace n cross join ${granted('n.nspacl')}
  where ${own('n')} and g.privilege_type = 'CREATE' and g.grantee <> n.nspowner
  union all
  select 'create', 'DATABASE ' || quote_ident(d.datname), 'CREATE ON DATABASE',
    quote_ident(d.datname), mine.oid
  from pg_catalog.pg_database d cross join ${granted('d.datacl')}
  where d.datname = current_database() and g.privilege_type = 'CREATE' and g.grantee <> d.datdba
  union all
  select 'foreign-servers', quote_ident(s.srvname), 'USAGE ON FOREIGN SERVER',
    quote_ident(s.srvname), mine.oid
  from pg_catalog.pg_foreign_server s
  cross join ${granted("coalesce(s.srvacl, acldefault('S', s.srvowner))")}
  union all
  select case when ${needed} then 'needed-functions'
      when ${extension} is not null then 'other-connections'
      when not l.lanpltrusted then 'untrusted-code'
      when o.rolsuper then 'superuser-functions' else 'definer-functions' end,
    ${routine}, case when ${needed} then 'none' else 'EXECUTE ON ROUTINE' end, ${routine}, mine.oid
  from ${functions}
  join pg_catalog.pg_language l on l.oid = p.prolang
  join pg_catalog.pg_roles o on o.oid = p.proowner
  where ${own('n')} and p.oid >= 16384
    and has_schema_privilege(n.oid, 'usage')
    and case when ${extension} is null
      then ${unbounded} and p.prorettype <> 'trigger'::regtype
      else ${extension} in ${reaching} end
  union all
  select case when p.proname in ${large} then 'large-objects' else 'acting-functions' end,
    ${routine}, 'EXECUTE ON ROUTINE', ${routine}, mine.oid
  from ${functions}
  where n.nspname = 'pg_catalog' and (p.proname in ('pg_notify', 'pg_logical_emit_message')
    or p.proname in ${large} and current_setting('server_version_num')::int < 160000)`

/** Everything each role can read: tables, columns, schemas, and `all` for a role that reads everything. */
const readable = `
    select g.grantee, concat(c.oid) as it from ${relations}
    cross join aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) g
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and g.privilege_type = 'SELECT'
    union all
    select g.grantee, concat(c.oid, ' ', a.attnum) from ${relations}
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attacl is not null
    cross join aclexplode(a.attacl) g where g.privilege_type = 'SELECT'
    union all
    select g.grantee, concat('schema ', n.oid) from pg_catalog.pg_namespace n
    cross join aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) g
    where ${own('n')} and g.privilege_type = 'USAGE'
    union all
    select r.oid, concat('schema ', n.oid) from pg_catalog.pg_namespace n
    join pg_catalog.pg_roles r on r.rolname = 'pg_write_all_data' where ${own('n')}
    union all
    select r.oid, 'all' from pg_catalog.pg_roles r where r.rolname ~ '^pg_(read_all|monitor|stat_scan)'`

/** The roles through which this role reads objects that neither it nor PUBLIC can read. */
const reading = `
    select distinct grantee from readable where grantee <> 0 and it not in (
      select it from readable, me where grantee in (0, me.oid))`

/**
 * The roles whose privileges count: the role, PUBLIC, and every role it is a member of. `entry` lists the
 * memberships to revoke so that the role leaves another role; NULL if it reads through that role.
 */
const mine = `
    select 0::oid as oid, 'PUBLIC' as name, null as entry, false as super, false as powerful,
      false as writes
    union all
    select r.oid, quote_ident(r.rolname),
      (select string_agg(quote_ident(d.rolname), ', ') from pg_catalog.pg_auth_members a
        join pg_catalog.pg_roles d on d.oid = a.roleid
        where a.member = me.oid and pg_has_role(d.oid, r.oid, 'member')
          and not exists (select from reading where grantee = d.oid
            or not d.rolsuper and pg_has_role(d.oid, grantee, 'member'))),
      r.rolsuper, r.rolname in ${powerful}, r.rolname in ${writing}
    from pg_catalog.pg_roles r join me on not me.rolsuper and pg_has_role(r.oid, 'member')`

/** The SQL that fixes a finding. Empty if there is nothing to revoke; NULL if only a new role helps. */
const closed = `
    select f.kind, case
      when f.privilege = 'none' then ''
      when f.grantee is null then 'ALTER ROLE ' || quote_ident(me.rolname) || ' ' || f.privilege
      when m.entry is not null then 'REVOKE ' || m.entry || ' FROM ' || quote_ident(me.rolname)
      when f.privilege <> '' and f.grantee in (0, me.oid) then 'REVOKE ' || f.privilege || ' '
        || string_agg(distinct f.target, ', ') || ' FROM ' || m.name end as sql
    from found f cross join me left join mine m on m.oid = f.grantee
    group by f.kind, f.privilege, m.name, m.entry, me.rolname, me.oid, f.grantee`

/**
 * Finds the role's privileges beyond reading, and the SQL that revokes them. It is one statement, and fast even
 * with ten thousand tables. A superuser is a member of all roles, so nothing else is reported for a superuser.
 */
export const ROLE_QUERY = `with me as (select * from pg_catalog.pg_roles where rolname = current_user),
  readable as materialized (${readable}),
  reading as materialized (${reading}),
  mine as materialized (${mine}),
  found as (${found}),
  closed as (${closed})
  select 'me', 1, array[version(), current_user::text, current_database()::text], null::text[]
  union all
  select f.kind, count(distinct f.object),
    (array_agg(distinct f.object order by f.object))[1:${MAX_OBJECTS}],
    (select array_agg(distinct c.sql order by c.sql) from closed c where c.kind = f.kind)
  from found f group by f.kind
  union all
  select 'tables', 1, array[n.nspname::text], array_agg(distinct quote_ident(o.rolname))
  from ${relations} join pg_catalog.pg_roles o on o.oid = c.relowner
    or o.oid = (select d.datdba from pg_catalog.pg_database d where d.datname = current_database())
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and has_schema_privilege(n.oid, 'usage')
  group by n.nspname`

/**
 * A result row. `me` has the version, role and database names; a finding has its objects and
 * the SQL that fixes it; `tables` has a schema and the owners of its tables.
 */
export type RoleRow = readonly [
  kind: string,
  count: unknown,
  names: string[],
  more: (string | null)[] | null,
]
